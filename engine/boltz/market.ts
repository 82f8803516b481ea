import type { DoorCall } from '../api/door.ts';
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
  submarine: () => ({ 'L-BTC': {}, ARK: { BTC: shutPair({ kind: 'submarine' }) } }),
  reverse: () => ({ BTC: { ARK: shutPair({ kind: 'reverse' }) } }),
  chain: () => ({ 'L-BTC': {}, ARK: { BTC: shutPair({ kind: 'chain' }) }, BTC: { ARK: shutPair({ kind: 'chain' }) } }),
};

/**
 * boltz-client up to 2.10 takes nothing of an answer with a currency that it has no name for. It is Go's own client of
 * HTTP with a `Referral`, an empty one where it has none (facts/boltz.md 5).
 */
function knowsArk({ 'user-agent': agent, referral }: DoorCall['headers']): boolean {
  return referral === undefined || !String(agent).startsWith('Go-http-client/');
}

/** GET swap/submarine, swap/reverse and swap/chain: what is told here is good for a while. */
export function listPairs(door: DoorContext, kind: Kind, { headers }: Pick<DoorCall, 'headers'>): Listing {
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
  return knowsArk(headers) ? listing : withoutArk(listing);
}

function withoutArk(listing: Listing): Listing {
  const isOther = ([name]: readonly [string, unknown]): boolean => name !== 'ARK';
  const targets = Object.entries(listing)
    .filter(isOther)
    .map(([from, to]) => [from, Object.fromEntries(Object.entries(to).filter(isOther))] as const);
  return Object.fromEntries(targets);
}
