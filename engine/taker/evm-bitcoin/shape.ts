import { z } from 'zod';
import { exactly, outpoint, sats, shapeOf } from '../../legs/shape.ts';
import { coinTaking } from '../../swap/halves/bitcoin/taking-shape.ts';
import { evmOrderFields } from '../evm/shape.ts';
import { dealtShape, evmSourceStates } from '../evm-source/shape.ts';
import { bitcoinLeg, creating, orderFields, refused } from '../shape.ts';
import type { TakeEvmBitcoinProgress, TakeEvmBitcoinTerms } from './terms.ts';

const terms = exactly<TakeEvmBitcoinTerms>()(
  z.strictObject({ ...orderFields, ...evmOrderFields, sourceAmount: z.bigint(), targetAmount: sats }),
);

const txid = z.string();
const coin = z.strictObject({ outpoint, amount: sats });
const base = {
  ...dealtShape(bitcoinLeg),
  coin: coin.nullable(),
  unsafe: z.string().nullable(),
  relayed: z.boolean(),
  takenBy: txid.nullable(),
  takenBack: z.boolean(),
  claimTxid: txid.nullable(),
};

const progress = exactly<TakeEvmBitcoinProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    ...evmSourceStates(base),
    z.strictObject({
      at: z.literal('claiming'),
      ...base,
      coin,
      ...coinTaking,
      shown: z.boolean(),
    }),
    z.strictObject({ at: z.literal('claimed'), ...base }),
    z.strictObject({ at: z.literal('lost'), ...base }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
