import { bpsDown, less, minus, plus, type Sats } from '../../../../domain/money.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../../../../domain/outpoint.ts';
import { isDecoy } from '../../../../legs/decoy.ts';
import type { SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import type { ExtraCoin } from '../../extra-coins.ts';
import { largestCoins } from '../largest-coins.ts';
import type { Coin, OnchainSourceTerms as T } from './terms.ts';

type Funding = Pick<T, 'sourceAmount' | 'toleranceBps'>;

/** What lies at an address that waits for its coin. */
type Sight =
  | { readonly is: 'none' }
  /** The right coin; `height` of its block, null while it is in none. */
  | { readonly is: 'right'; readonly height: number | null; readonly own: Coin }
  /** In a block, and not what was agreed. */
  | { readonly is: 'wrong'; readonly reason: string };

/** Of a coin that can be accepted. */
export function mostOf({ sourceAmount, toleranceBps }: Funding): Sats {
  return plus(sourceAmount, bpsDown(sourceAmount, toleranceBps));
}

/**
 * Judges what a client funded (DECISIONS.md, "What counts as funding"). Coins beside a right one are ignored, and so
 * are decoys; what is wrong is so only in a block, for what waits in a mempool may still be replaced. `used` stays the
 * swap's as long as it will do.
 */
export function judgeFunding(t: Funding, coins: readonly SeenHtlcCoin[], used: Outpoint | null): Sight {
  const present = coins.filter(({ spend }) => spend === null);
  const right = present.filter(({ amount }) => amount >= t.sourceAmount && amount <= mostOf(t)).sort(stableOrder);
  const best = (of: readonly SeenHtlcCoin[]): SeenHtlcCoin | undefined =>
    of.find(({ outpoint }) => used !== null && sameOutpoint(outpoint, used)) ??
    of.find(({ amount }) => amount === t.sourceAmount) ??
    of[0];
  const mined = best(right.filter(({ height }) => height !== null));
  const chosen = mined ?? best(right);
  if (chosen !== undefined) return { is: 'right', height: chosen.height, own: ownOf(t, chosen) };
  const wrong = present
    .filter(({ amount, height }) => height !== null && !isDecoy(amount, t.sourceAmount))
    .sort((a, b) => Number(b.amount - a.amount))[0];
  if (wrong === undefined) return { is: 'none' };
  return { is: 'wrong', reason: reasonOf(t, wrong.amount) };
}

function reasonOf(t: Funding, amount: Sats): string {
  return amount < t.sourceAmount
    ? `the coin holds ${amount} sats, ${less(t.sourceAmount, amount)} less than the ${t.sourceAmount} agreed`
    : `the coin holds ${amount} sats, more than the ${mostOf(t)} that can be accepted`;
}

function ownOf({ sourceAmount }: Funding, { outpoint, amount }: SeenHtlcCoin): Coin {
  return { coin: outpoint, surplus: minus(amount, sourceAmount) };
}

/** Oldest first, then by outpoint: two looks at the same coins choose the same one. */
function stableOrder(a: SeenHtlcCoin, b: SeenHtlcCoin): number {
  if (a.height !== b.height) return (a.height ?? Infinity) - (b.height ?? Infinity);
  return outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1;
}

/**
 * What lies there comes before what is spent, and what is in a block before what waits, which costs its maker nothing.
 */
function extraRank({ height, spend }: SeenHtlcCoin): number {
  return ((spend?.height ?? null) === null ? 0 : 2) + (height === null ? 1 : 0);
}

/**
 * The coins at the script but `used`, the largest of those that matter, in a stable order. One that is listed no more
 * is gone.
 */
export function coinsBeside(coins: readonly SeenHtlcCoin[], used: Outpoint | null): ExtraCoin[] {
  return listed(coins, used).map(extraOf);
}

/** The coins at the script of a swap for which other terms may be agreed to. */
export function coinsToAmendFor(coins: readonly SeenHtlcCoin[]): ExtraCoin[] {
  return listed(coins, null).map((coin) => {
    const extra = extraOf(coin);
    return extra.spent || coin.height === null ? extra : { ...extra, mined: true };
  });
}

function listed(coins: readonly SeenHtlcCoin[], used: Outpoint | null): SeenHtlcCoin[] {
  const others = coins.filter(({ outpoint }) => used === null || !sameOutpoint(outpoint, used));
  return largestCoins(others, extraRank);
}

function extraOf({ outpoint, amount, spend }: SeenHtlcCoin): ExtraCoin {
  return { outpoint, amount, spent: spend !== null && spend.height !== null };
}

/** The swap's own coin, where the event shows it. */
export function ownCoin(p: Coin, coins: readonly SeenHtlcCoin[]): SeenHtlcCoin | null {
  return coins.find(({ outpoint }) => sameOutpoint(outpoint, p.coin)) ?? null;
}
