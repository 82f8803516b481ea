import { z } from 'zod';
import { exactly, outpoint, shapeOf } from '../../legs/shape.ts';
import { orderFields, creating, dealt, refused } from '../shape.ts';
import type { TakeLightningArkadeProgress, TakeLightningArkadeTerms } from './terms.ts';

const terms = exactly<TakeLightningArkadeTerms>()(
  z.strictObject({ ...orderFields, targetAddress: z.string(), description: z.string() }),
);

const txid = z.string();

const progress = exactly<TakeLightningArkadeProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    z.strictObject({ at: z.literal('waiting'), why: z.string().nullable(), ...dealt }),
    z.strictObject({
      at: z.literal('claiming'),
      halted: z.boolean(),
      coin: outpoint,
      claimTxid: txid.nullable(),
      exit: z.literal(true).exactOptional(),
      ...dealt,
    }),
    z.strictObject({ at: z.literal('claimed'), claimTxid: txid, ...dealt }),
    z.strictObject({ at: z.literal('ended'), reason: z.string(), ...dealt }),
    z.strictObject({ at: z.literal('lost'), ...dealt }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
