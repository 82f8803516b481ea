import { sats } from '../../../../domain/money.ts';
import type { Watch } from '../../../machine.ts';
import type { ExtraCoin, StoppedFor } from '../../extra-coins.ts';
import { mostOf } from './coins.ts';
import type { Coin, OnchainSourceTerms as T } from './terms.ts';

/**
 * Of the coins beside the swap's own so many are asked after by name, the largest: each is a question in every look
 * (facts/faults.md 89).
 */
const mostNamed = 3;

/** States in which nothing is given for what lies there, yet or any more. */
const nothingGiven: ReadonlySet<string> = new Set([
  ...['pending', 'unnamed', 'seen'],
  ...['stopped', 'refunded', 'returned', 'claimed'],
]);

interface State extends Partial<Coin> {
  readonly at: string;
  readonly why?: StoppedFor;
  readonly extras?: readonly ExtraCoin[];
}

/**
 * The coins at the HTLC, and what takes those that were seen: one that is spent is listed nowhere any more. Swaps that
 * nobody pays for are a stranger's to make, so they are looked at after the others (facts/faults.md 264), and seldom
 * once their time is over.
 */
export function coinsWatch(t: T, p: State): Watch {
  const own = p.coin === undefined ? [] : [{ outpoint: p.coin, amount: sats(t.sourceAmount + (p.surplus ?? 0n)) }];
  const extras = (p.extras ?? []).slice(0, mostNamed).map(({ outpoint, amount }) => ({ outpoint, amount }));
  const turn = turnOf(p);
  return {
    on: 'htlc',
    terms: t.htlc,
    script: t.htlcScript,
    since: t.htlcSince,
    agreed: { least: t.sourceAmount, most: mostOf(t) },
    coins: [...own, ...extras],
    ...(turn === null ? {} : { turn }),
  };
}

function turnOf({ at, why, extras = [] }: State): 'later' | 'seldom' | null {
  if (why === 'expired' && extras.length === 0) return 'seldom';
  return nothingGiven.has(at) ? 'later' : null;
}
