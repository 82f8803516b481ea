import { sameOutpoint } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { buried } from '../../../../legs/onchain/depth.ts';
import type { SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import { isOwnClaim } from '../../../../swap/halves/bitcoin/cosign.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { safeToRevealForCoin } from '../../../../legs/safety/reveal.ts';
import type { Safety } from '../../../../legs/safety/verdict.ts';
import type { Event } from '../../../../swap/machine.ts';
import type { BitcoinLeg } from '../../../terms.ts';
import type { BitcoinClaimTerms, Claiming, PayoutCoin } from './terms.ts';

export type Seen = Event & { is: 'htlc.seen' };

/** The coin as it is kept in mind. */
export function coinOf({ outpoint, amount }: SeenHtlcCoin): PayoutCoin {
  return { outpoint, amount };
}

export function sameCoin(a: PayoutCoin | null, b: PayoutCoin | null): boolean {
  return a === null || b === null ? a === b : sameOutpoint(a.outpoint, b.outpoint);
}

function deepest(a: SeenHtlcCoin, b: SeenHtlcCoin): number {
  return (a.height ?? Infinity) - (b.height ?? Infinity) || 0;
}

/** The deepest that is whole and not spent; where none is whole the largest, which says why nothing is claimed. */
export function offered({ amount: agreed }: BitcoinLeg, { coins }: Seen): SeenHtlcCoin | null {
  const unspent = coins.filter(({ spend }) => spend === null);
  const whole = unspent.filter(({ amount }) => amount >= agreed);
  return whole.sort(deepest)[0] ?? unspent.sort((a, b) => Number(b.amount - a.amount))[0] ?? null;
}

/** What is worth most to us, whatever else lies there: whole, then in a block, then on its way to us. */
function best({ amount: agreed }: BitcoinLeg, coins: readonly SeenHtlcCoin[]): SeenHtlcCoin | null {
  const rank = (coin: SeenHtlcCoin): number =>
    (coin.amount >= agreed ? 0 : 6) +
    (coin.height !== null ? 0 : 3) +
    (isOwnClaim(coin) ? 0 : coin.spend === null ? 1 : 2);
  const order = (a: SeenHtlcCoin, b: SeenHtlcCoin): number =>
    rank(a) - rank(b) || (a.amount < agreed ? Number(b.amount - a.amount) : 0) || deepest(a, b);
  return coins.toSorted(order)[0] ?? null;
}

/**
 * One whose claim is seen: nobody but us has the secret before we show it, so that it was shown for this one. From then
 * on anybody can make up another.
 */
export function claimedCoin(leg: BitcoinLeg, { coins }: Seen): SeenHtlcCoin | null {
  return best(leg, coins.filter(isOwnClaim));
}

/** The secret has left us: whatever lies there is ours, but what the provider has again for good. */
export function anyOf(leg: BitcoinLeg, { coins, height }: Seen): SeenHtlcCoin | null {
  return best(
    leg,
    coins.filter((coin) => !isTakenBack(coin, height)),
  );
}

function isTakenBack({ spend }: SeenHtlcCoin, tip: number): boolean {
  return spend?.by === 'refund' && buried(spend.height, tip);
}

/**
 * A whole coin in a block that is claimed in place of this one, which is in none any more, or holds too little. What
 * waits, or is only told of, costs its maker nothing; and while a claim of a whole coin is on its way another one must
 * be buried to end that, for the first may come again (facts/faults.md 245).
 */
export function coinInstead(leg: BitcoinLeg, { coin, spends }: Claiming, seen: Seen): SeenHtlcCoin | null {
  const { coins, height: tip } = seen;
  const isWhole = ({ amount }: PayoutCoin): boolean => amount >= leg.amount;
  const own = coins.find(({ outpoint }) => sameOutpoint(outpoint, coin.outpoint));
  if (own !== undefined && own.height !== null && isWhole(own)) return null;
  const isSent = spends.length > 0 && isWhole(coin);
  const others = coins.filter(
    (other) =>
      other !== own &&
      isWhole(other) &&
      other.height !== null &&
      (other.spend === null || isOwnClaim(other)) &&
      (!isSent || buried(other.height, tip)),
  );
  return others.toSorted(deepest)[0] ?? null;
}

export function judge(
  { policy }: BitcoinClaimTerms,
  { htlc, amount }: BitcoinLeg,
  coin: SeenHtlcCoin,
  seen: Seen,
  now: Clocks,
): Safety {
  return safeToRevealForCoin(
    { coin, height: seen.height, targetAmount: amount, refundLocktime: locktimeOf(htlc) },
    now,
    policy,
  );
}
