import { sameOutpoint } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import type { SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import { isOwnClaim } from '../../../../swap/halves/bitcoin/cosign.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { safeToRevealForCoin } from '../../../../legs/safety/reveal.ts';
import type { Safety } from '../../../../legs/safety/verdict.ts';
import type { Event } from '../../../../swap/machine.ts';
import type { BitcoinLeg } from '../../../terms.ts';
import type { BitcoinClaimTerms, PayoutCoin } from './terms.ts';

export type Seen = Event & { is: 'htlc.seen' };

/** The coin as it is kept in mind. */
export function coinOf({ outpoint, amount }: SeenHtlcCoin): PayoutCoin {
  return { outpoint, amount };
}

export function sameCoin(a: PayoutCoin | null, b: PayoutCoin | null): boolean {
  return a === null || b === null ? a === b : sameOutpoint(a.outpoint, b.outpoint);
}

/** The deepest that is whole and not spent; where none is whole the largest, which says why nothing is claimed. */
export function offered({ amount: agreed }: BitcoinLeg, { coins }: Seen): SeenHtlcCoin | null {
  const unspent = coins.filter(({ spend }) => spend === null);
  const whole = unspent.filter(({ amount }) => amount >= agreed);
  const deepest = (a: SeenHtlcCoin, b: SeenHtlcCoin) => (a.height ?? Infinity) - (b.height ?? Infinity) || 0;
  return whole.sort(deepest)[0] ?? unspent.sort((a, b) => Number(b.amount - a.amount))[0] ?? null;
}

/** One whose claim is seen: nobody but us has the secret before we show it, so that it was shown for this one. */
export function claimedCoin({ coins }: Seen): SeenHtlcCoin | null {
  return coins.find(isOwnClaim) ?? null;
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
