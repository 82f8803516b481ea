import { z } from 'zod';
import { exactly, outpoint, shapeOf, unix } from '../../legs/shape.ts';
import { stray } from '../../swap/source-shape.ts';
import { orderFields, creating, dealt, refused } from '../shape.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';

const terms = exactly<TakeArkadeLightningTerms>()(
  z.strictObject({ ...orderFields, bolt11: z.string(), invoiceExpiresAt: unix }),
);

const txid = z.string();
const watched = {
  ...dealt,
  coins: z.array(stray),
  proof: z.strictObject({ claimTxid: txid.nullable() }).nullable(),
};

const progress = exactly<TakeArkadeLightningProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    z.strictObject({ at: z.literal('waiting'), ...watched }),
    z.strictObject({
      at: z.literal('funded'),
      notBefore: unix.nullable(),
      declined: z.string().nullable(),
      ...watched,
    }),
    z.strictObject({ at: z.literal('asking'), coin: outpoint, ...watched }),
    z.strictObject({
      at: z.literal('refunding'),
      coin: outpoint,
      refundTxid: txid.nullable(),
      exit: z.literal(true).exactOptional(),
      ...watched,
    }),
    z.strictObject({ at: z.literal('done'), refundTxid: txid.nullable(), over: z.boolean(), ...watched }),
    z.strictObject({ at: z.literal('lapsed'), ...watched }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
