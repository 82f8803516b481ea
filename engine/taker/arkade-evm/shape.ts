import { z } from 'zod';
import { evmAddress } from '../../legs/evm/shape.ts';
import { exactly, shapeOf, unix } from '../../legs/shape.ts';
import { evmLeg, evmOrderFields } from '../evm/shape.ts';
import { arkadeOrderFields, creating, refused } from '../shape.ts';
import { dealtShape, vhtlcSourceStates } from '../vhtlc-source/shape.ts';
import type { TakeArkadeEvmProgress, TakeArkadeEvmTerms } from './terms.ts';

const terms = exactly<TakeArkadeEvmTerms>()(
  z.strictObject({ ...arkadeOrderFields, ...evmOrderFields, targetAmount: z.bigint(), destination: evmAddress }),
);

const txid = z.string();
const base = {
  ...dealtShape(evmLeg),
  lockTxid: txid.nullable(),
  unsafe: z.string().nullable(),
  claimTxid: txid.nullable(),
  takenBack: z.boolean(),
};

const progress = exactly<TakeArkadeEvmProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    ...vhtlcSourceStates(base),
    z.strictObject({
      at: z.literal('claiming'),
      by: z.enum(['provider', 'node']),
      since: unix,
      sent: txid.nullable(),
      declined: z.string().nullable(),
      ...base,
    }),
    z.strictObject({ at: z.literal('claimed'), ...base }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
