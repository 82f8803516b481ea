import { z } from 'zod';
import { exactly, sats, shapeOf, unix } from '../../legs/shape.ts';
import { evmLeg, evmOrderFields } from '../evm/shape.ts';
import { creating, dealFields, lightningLeg, lastWord, orderFields, refused } from '../shape.ts';
import type { TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';

const terms = exactly<TakeEvmLightningTerms>()(
  z.strictObject({
    ...orderFields,
    ...evmOrderFields,
    sourceAmount: z.bigint(),
    targetAmount: sats,
    bolt11: z.string(),
    invoiceExpiresAt: unix,
  }),
);

const txid = z.string();
const dealt = {
  deal: z.strictObject({ ...dealFields, source: evmLeg, target: lightningLeg }),
  said: lastWord,
  made: z.strictObject({ txid, amount: z.bigint() }).nullable(),
  signedUntil: unix.nullable(),
};
const pausing = { notBefore: unix.nullable(), declined: z.string().nullable() };

const progress = exactly<TakeEvmLightningProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    z.strictObject({ at: z.literal('waiting'), ...pausing, ...dealt }),
    z.strictObject({
      at: z.literal('funding'),
      by: z.enum(['provider', 'node']),
      sent: txid.nullable(),
      ...dealt,
      signedUntil: unix,
    }),
    z.strictObject({ at: z.literal('locked'), ...pausing, ...dealt }),
    z.strictObject({ at: z.literal('asking'), ...dealt }),
    z.strictObject({ at: z.literal('refunding'), sent: txid.nullable(), ...dealt }),
    z.strictObject({ at: z.literal('paid'), claimTxid: txid, ...dealt }),
    z.strictObject({ at: z.literal('refunded'), refundTxid: txid, ...dealt }),
    z.strictObject({ at: z.literal('lapsed'), ...dealt }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
