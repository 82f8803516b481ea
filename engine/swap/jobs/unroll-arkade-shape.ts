import { z } from 'zod';
import { exactly, outpoint, sats, shapeOf, unix } from '../../legs/shape.ts';
import type { UnrollProgress, UnrollTerms } from './unroll-arkade.ts';

export const unrollShape = {
  terms: shapeOf(
    exactly<UnrollTerms>()(
      z.strictObject({ coin: outpoint, amount: sats, mostFee: sats, deadline: unix.exactOptional() }),
    ),
  ),
  progress: shapeOf(
    exactly<UnrollProgress>()(
      z.discriminatedUnion('at', [
        z.strictObject({ at: z.literal('unrolling') }),
        z.strictObject({ at: z.literal('unrolled') }),
        z.strictObject({ at: z.literal('failed'), reason: z.string() }),
      ]),
    ),
  ),
};
