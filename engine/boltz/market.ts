import { isRefusal } from '../domain/errors.ts';
import type { DoorContext } from './context.ts';
import { nameOf, offerOf, shutPair, type PairTerms } from './offer.ts';
import { pairs, type Kind } from './pair.ts';

/** By what goes in, and then by what comes out. */
type Listing = Readonly<Record<string, Readonly<Record<string, PairTerms>>>>;

/**
 * What some clients read before they read anything else: without it they take nothing of the answer. None of it can be
 * swapped.
 */
const wanting: Readonly<Record<Kind, () => Listing>> = {
  submarine: () => ({ 'L-BTC': {} }),
  reverse: () => ({ BTC: { ARK: shutPair({ kind: 'reverse' }) } }),
  chain: () => ({ 'L-BTC': {}, ARK: { BTC: shutPair({ kind: 'chain' }) }, BTC: { ARK: shutPair({ kind: 'chain' }) } }),
};

/** GET swap/submarine, swap/reverse and swap/chain: what is told here is good for a while. */
export function listPairs(door: DoorContext, kind: Kind): Listing {
  const listing: Record<string, Record<string, PairTerms>> = {};
  const add = (from: string, to: string, terms: PairTerms): void => void ((listing[from] ??= {})[to] = terms);
  for (const [from, targets] of Object.entries(wanting[kind]())) {
    listing[from] ??= {};
    for (const [to, terms] of Object.entries(targets)) add(from, to, terms);
  }
  for (const pair of pairs) {
    const offer = pair.kind === kind ? offerOf(door, pair) : null;
    if (offer === null || isRefusal(offer)) continue;
    add(pair.from, pair.to, offer.terms);
    door.tellings.note(nameOf(pair), offer.terms.hash, offer.rate);
  }
  return listing;
}
