import { z } from 'zod';
import { exactly, outpoint, shapeOf } from '../../legs/shape.ts';
import {
  arkadeLeg,
  arkadeOrderFields,
  cancelled,
  creating,
  dealFields,
  legsOf1,
  lightningLeg,
  refused,
  refusedOf1,
  lastWord,
  type Deal1,
} from '../shape.ts';
import type { TakeLightningArkadeProgress, TakeLightningArkadeTerms } from './terms.ts';

const terms = exactly<TakeLightningArkadeTerms>()(
  z.strictObject({ ...arkadeOrderFields, targetAddress: z.string(), description: z.string() }),
);

const txid = z.string();
const dealt = {
  deal: z.strictObject({ ...dealFields, source: lightningLeg, target: arkadeLeg }),
  said: lastWord,
  cancelled,
};

const progress = exactly<TakeLightningArkadeProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    z.strictObject({ at: z.literal('waiting'), why: z.string().nullable(), ...dealt }),
    z.strictObject({
      at: z.literal('claiming'),
      halted: z.literal(true).exactOptional(),
      told: z.literal(true).exactOptional(),
      coin: outpoint,
      claimTxid: txid.nullable(),
      exit: z.literal(true).exactOptional(),
      ...dealt,
    }),
    z.strictObject({ at: z.literal('claimed'), claimTxid: txid, coin: outpoint.nullable(), ...dealt }),
    z.strictObject({
      at: z.literal('ended'),
      reason: z.enum(['provider-ended', 'never-locked', 'lock-unsafe']),
      detail: z.string().nullable(),
      ...dealt,
    }),
    z.strictObject({ at: z.literal('lost'), ...dealt }),
  ]),
);

type Progress1 =
  | { readonly at: 'creating' }
  | { readonly at: 'refused'; readonly reason: string }
  | { readonly at: 'claimed' | 'waiting'; readonly deal: Deal1 }
  | { readonly at: 'ended'; readonly reason: string; readonly deal: Deal1 };

/** Version 1 kept sentences, and a deal without its legs. */
function from1(stored: unknown): unknown {
  const p = stored as Progress1;
  if (p.at === 'creating') return p;
  if (p.at === 'refused') return { ...p, ...refusedOf1(p) };
  const next = { ...p, deal: legsOf1(p.deal, 'lightning') };
  if (p.at === 'claimed') return { ...next, coin: null };
  return p.at === 'ended' ? { ...next, ...endOf1(p.reason) } : next;
}

function endOf1(reason: string): { reason: string; detail: string | null } {
  if (reason === 'The provider ended the swap') return { reason: 'provider-ended', detail: null };
  if (reason === 'The provider never locked its coins') return { reason: 'never-locked', detail: null };
  return { reason: 'lock-unsafe', detail: reason };
}

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress, from1) };
