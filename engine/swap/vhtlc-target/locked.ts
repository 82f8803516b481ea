import type { Clocks } from '../../domain/time.ts';
import { safeToRefund } from '../../legs/safety/refund.ts';
import { move, type Event, type Outcome } from '../machine.ts';
import { refundEffect } from './refunding.ts';
import { claimShown, lateAlarm, lockedCoin, unexplained } from './seen.ts';
import type { Fate, Lock, Refunding, Standing, TargetTerms } from './terms.ts';

/** The VHTLC is out: the client claims it, or we take it back after its locktime. */
export function whenLocked<T extends TargetTerms, L extends Lock, P>(
  t: T,
  p: Standing<L>,
  event: Event,
  now: Clocks,
  fate: Fate<T, L, P>,
): Outcome<P | Standing<L> | Refunding<L>> {
  const claim = claimShown(t, p, event, now);
  if (claim !== null) return fate.claimed(t, p, claim);
  if (event.is === 'clock' && safeToRefund({ refundLocktime: t.vhtlc.refundLocktime }, now) === null)
    return move<Refunding<L>>({ at: 'refunding', refundTxid: null, ...fate.kept(p) }, refundEffect(t, p));
  const alarm = unexplained<L>(p, event, fate.stays) ?? lateAlarm<T, L, P, Standing<L>>(t, p, now, fate);
  return alarm === 'stay' ? onChain(p, event) : alarm;
}

/** The client may still claim there, and so will we look there; but our change came along, which no swap can use. */
function onChain<L extends Lock>(p: Standing<L>, event: Event): Outcome<Standing<L>> {
  if (lockedCoin(p, event)?.unrolled !== true || p.alarmed === true) return 'stay';
  return {
    progress: p,
    effects: [],
    flag: 'Somebody brought our VHTLC to the chain, and with it the change of the same transaction: that leaves the balance, and moves on the chain alone.',
  };
}
