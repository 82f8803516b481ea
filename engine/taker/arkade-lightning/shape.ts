import { z } from 'zod';
import { exactly, shapeOf, unix } from '../../legs/shape.ts';
import { arkadeOrderFields, creating, legsOf1, lightningLeg, refused, refusedOf1, type Deal1 } from '../shape.ts';
import { dealtShape, vhtlcSourceStates } from '../vhtlc-source/shape.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';

const terms = exactly<TakeArkadeLightningTerms>()(
  z.strictObject({ ...arkadeOrderFields, bolt11: z.string(), invoiceExpiresAt: unix }),
);

const progress = exactly<TakeArkadeLightningProgress>()(
  z.discriminatedUnion('at', [creating, refused, ...vhtlcSourceStates(dealtShape(lightningLeg))]),
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
