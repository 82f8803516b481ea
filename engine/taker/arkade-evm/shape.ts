import { z } from 'zod';
import { evmAddress } from '../../legs/evm/shape.ts';
import { exactly, shapeOf, unix } from '../../legs/shape.ts';
import { evmLeg, evmOrderFields, exchangeTerms } from '../evm/shape.ts';
import { arkadeOrderFields, creating, refused } from '../shape.ts';
import { dealtShape, vhtlcSourceStates } from '../vhtlc-source/shape.ts';
import type { TakeArkadeEvmProgress, TakeArkadeEvmTerms } from './terms.ts';

const terms = exactly<TakeArkadeEvmTerms>()(
  z.strictObject({
    ...arkadeOrderFields,
    ...evmOrderFields,
    targetAmount: z.bigint(),
    destination: evmAddress,
    exchange: exchangeTerms.exactOptional(),
  }),
);

const txid = z.string();
const base = {
  ...dealtShape(evmLeg),
  lockTxid: txid.nullable(),
  unsafe: z.string().nullable(),
  claimTxid: txid.nullable(),
  takenBack: z.boolean(),
  price: z
    .strictObject({ since: unix, by: z.enum(['provider', 'node']), reason: z.string(), reverts: z.number() })
    .exactOptional(),
  arrived: z.strictObject({ wanted: z.bigint(), locked: z.bigint() }).exactOptional(),
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
      alone: z.boolean().exactOptional(),
      ...base,
    }),
    z.strictObject({ at: z.literal('claimed'), ...base }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
