import { z } from 'zod';
import { exactly, outpoint, shapeOf, unix } from '../../legs/shape.ts';
import { stray } from '../../swap/source-shape.ts';
import {
  arkadeLeg,
  arkadeOrderFields,
  creating,
  dealFields,
  legsOf1,
  lightningLeg,
  refused,
  refusedOf1,
  said,
  type Deal1,
} from '../shape.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';

const terms = exactly<TakeArkadeLightningTerms>()(
  z.strictObject({ ...arkadeOrderFields, bolt11: z.string(), invoiceExpiresAt: unix }),
);

const txid = z.string();
const watched = {
  deal: z.strictObject({ ...dealFields, source: arkadeLeg, target: lightningLeg }),
  said,
  coins: z.array(stray),
  expiresAt: unix.nullable(),
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

type Progress1 =
  | { readonly at: 'creating' }
  | { readonly at: 'refused'; readonly reason: string }
  | { readonly at: 'waiting'; readonly deal: Deal1 };

/** Version 1 kept sentences, and a deal without its legs. */
function from1(stored: unknown): unknown {
  const p = stored as Progress1;
  if (p.at === 'creating') return p;
  return p.at === 'refused' ? { ...p, ...refusedOf1(p) } : { ...p, deal: legsOf1(p.deal, 'arkade'), expiresAt: null };
}

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress, from1) };
