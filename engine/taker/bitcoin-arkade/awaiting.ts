import type { Clocks } from '../../domain/time.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { safeToReveal } from '../../legs/safety/reveal.ts';
import { move, type Event, type Outcome } from '../../swap/machine.ts';
import { claimEffect, claimOf, whenClaiming as whenClaimed, type Ends } from '../vhtlc-target/claiming.ts';
import { isShown, lockOpen } from './coins.ts';
import { rest } from './rest.ts';
import { dealtOf, type Claiming, type TakeBitcoinArkadeProgress, type TakeBitcoinArkadeTerms } from './terms.ts';

type T = TakeBitcoinArkadeTerms;
type P = TakeBitcoinArkadeProgress;

/**
 * The provider's VHTLC decides, whatever anybody says: it is claimed when it is whole and there is time. A provider
 * that has our secret already leaves no time to lose.
 */
export function whenLockSeen(
  t: T,
  p: P & { at: 'waiting' | 'funded' },
  coins: readonly SeenCoin[],
  now: Clocks,
): Outcome<P> {
  const { vhtlc, amount: targetAmount } = p.deal.target;
  const shown = isShown(p);
  let why: string | null = null;
  for (const coin of coins) {
    // Nobody else has the secret: another life of this node was quicker.
    const claimTxid = claimOf(t, coin);
    if (claimTxid !== null) return move<P>(rest({ ...dealtOf(p), payout: { claimTxid, coin: coin.outpoint } }));
    // Our bitcoin may be ours again by now: nobody may have both.
    if (lockOpen(p, now) && !shown) continue;
    const unsafe = safeToReveal({ coin, targetAmount, refundLocktime: vhtlc.refundLocktime }, now, t.policy);
    if (unsafe === null || (shown && !coin.spent))
      return move<P>(
        { at: 'claiming', coin: coin.outpoint, claimTxid: null, ...dealtOf(p) },
        claimEffect(t, p, coin.outpoint),
      );
    why ??= unsafe.sentence;
  }
  return p.at === 'waiting' || why === p.why ? 'stay' : move<P>({ ...p, why });
}

const ends: Ends<Claiming, P> = {
  claimed: (p, claimTxid) => move<P>(rest({ ...dealtOf(p), payout: { claimTxid, coin: p.coin } })),
  unsent(p, reason) {
    const back = rest(dealtOf(p));
    return move<P>(back.at === 'funded' ? { ...back, why: reason } : back);
  },
  lost: (p) => ({
    progress: rest({ ...dealtOf(p), payout: 'lost' }),
    effects: [],
    flag: 'The provider took its VHTLC back while we claimed it: if it takes the bitcoin too, it owes you the swap.',
  }),
  shown: isShown,
};

export function whenClaiming(t: T, p: P & { at: 'claiming' }, event: Event, now: Clocks): Outcome<P> {
  return whenClaimed<P & { at: 'claiming' }, P>(t, p, event, now, ends);
}
