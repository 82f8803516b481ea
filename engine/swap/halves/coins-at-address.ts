import { less, type Sats } from '../../domain/money.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { move, type Outcome } from '../machine.ts';
import {
  attemptsOf,
  hasAttempt,
  hasUnspent,
  largestLeft,
  sameExtras,
  type ExtraCoin,
  type StoppedFor,
} from './extra-coins.ts';

/*
 * Coins that a client sends to an address, a VHTLC or an HTLC on the Bitcoin chain, while nothing is given for them yet
 * or any more.
 *
 * Loses money when wrong: something given for a coin whose refund was signed; what came in, left out of the books.
 */

type Coins = readonly ExtraCoin[];

interface Price {
  readonly sourceAmount: Sats;
}

/** The state with what lies there now; what it lists already is no news. */
export function withCoins<S extends { readonly extras: Coins }>(p: S, extras: Coins): Outcome<S> {
  return sameExtras(extras, p.extras) ? 'stay' : move<S>({ ...p, extras });
}

/** What is said of a coin that came once the swap had expired. */
export const cameLate = 'the coin came after the funding window';

/**
 * Nothing is given for what lies there. `late`: the state of a swap that had expired, to which an attempt to pay came
 * after all.
 */
export function withCoinsLeft<S extends { readonly why: StoppedFor; readonly extras: Coins }, L>(
  t: Price,
  p: S,
  extras: Coins,
  late: (reason: string) => L,
): Outcome<S | L> {
  const isLate = p.why === 'expired' && hasAttempt(extras, t) && !sameExtras(extras, p.extras);
  return isLate ? move<L>(late(cameLate)) : withCoins(p, extras);
}

/** How a swap ends whose client named no invoice in time; `nothing`: where no attempt to pay lies there. */
export function unnamedEnd(
  t: Price & { readonly leastAmount?: Sats },
  all: Coins,
  nothing: string,
): readonly [why: StoppedFor, reason: string] {
  return hasUnspent(attemptsOf(all, t)) ? ['wont', 'no invoice was named in time'] : ['expired', nothing];
}

/**
 * Whether what lies there, or will, is judged by what was agreed since, as if it had just come: a coin of another
 * amount, or one without an invoice, whose refund we never signed.
 */
export function isAmendable(
  p: { readonly at: string; readonly why?: StoppedFor; readonly fenced?: boolean; readonly extras?: Coins },
  { fundBefore }: { readonly fundBefore: Unix },
  { wall }: Clocks,
): boolean {
  const waits = p.at === 'unnamed' || (p.at === 'stopped' && p.why === 'invalid' && hasUnspent(p.extras ?? []));
  return waits && p.fenced !== true && wall < fundBefore;
}

/**
 * The coin that pays for what was given after all, though it had been called off: any that lies there does. What it
 * holds over the price is income like any other surplus; left out of the state, the books lack it. Null: none is left.
 */
export function remainingIn({ sourceAmount }: Price, extras: Coins) {
  const coin = largestLeft(extras);
  if (coin === null) return null;
  const surplus = less(coin.amount, sourceAmount);
  return { coin: coin.outpoint, surplus, extras: extras.filter((extra) => extra !== coin) };
}
