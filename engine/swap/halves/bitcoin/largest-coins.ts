import { outpointKey } from '../../../domain/outpoint.ts';
import type { SeenHtlcCoin } from '../../../legs/onchain/events.ts';

/** Coins at a script that are kept in mind: anybody can send more, and nobody is needed to take those back. */
const mostCoins = 20;

/**
 * The largest first, in a stable order; of too many those whose `rank` is lowest (facts/faults.md 96). One that is not
 * listed is lost sight of: the rank says what matters most to this side.
 */
export function largestCoins(coins: readonly SeenHtlcCoin[], rank: (coin: SeenHtlcCoin) => number): SeenHtlcCoin[] {
  const largest = (a: SeenHtlcCoin, b: SeenHtlcCoin): number =>
    Number(b.amount - a.amount) || (outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1);
  return coins
    .toSorted((a, b) => rank(a) - rank(b) || largest(a, b))
    .slice(0, mostCoins)
    .sort(largest);
}
