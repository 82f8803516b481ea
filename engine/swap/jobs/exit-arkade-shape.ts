import { z } from 'zod';
import { onChainCoin } from '../../legs/arkade/shape.ts';
import { exactly, sats, shapeOf } from '../../legs/shape.ts';
import type { ArkadeExitProgress, ArkadeExitTerms } from './exit-arkade.ts';

const progress = exactly<ArkadeExitProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ at: z.literal('choosing') }),
    z.strictObject({ at: z.literal('sending'), txid: z.string(), amount: sats }),
    z.strictObject({ at: z.literal('sent'), txid: z.string() }),
    z.strictObject({ at: z.literal('failed'), reason: z.string() }),
  ]),
);

export const arkadeExitShape = {
  terms: shapeOf(exactly<ArkadeExitTerms>()(z.strictObject({ coins: z.array(onChainCoin) }))),
  progress: shapeOf(progress),
};
