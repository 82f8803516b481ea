import type { Clocks } from '../../domain/time.ts';
import { safeToRefund } from '../../legs/safety.ts';
import { move, type Event, type Outcome } from '../machine.ts';
import { refundEffect } from './refunding.ts';
import { claimSeen, lateAlarm, lockedCoin, unexplained } from './seen.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

/** The VHTLC is out: the client claims it, or we take it back after its locktime. */
export function whenLocked(t: T, p: P & { at: 'locked' }, event: Event, now: Clocks): Outcome<P> {
  const claimed = claimSeen(t, p, event);
  if (claimed !== null) return claimed;
  if (event.is === 'clock' && safeToRefund({ refundLocktime: t.vhtlc.refundLocktime }, now) === null) {
    return move<P>({ at: 'refunding', refundTxid: null, ...lockOf(p) }, refundEffect(t, p));
  }
  const alarm = unexplained(p, event) ?? lateAlarm(t, p, now);
  return alarm === 'stay' ? onChain(p, event) : alarm;
}

/** The client may still claim there, and so will we look there; but our change came along, which no swap can use. */
function onChain(p: P & { at: 'locked' }, event: Event): Outcome<P> {
  if (lockedCoin(p, event)?.unrolled !== true || p.alarmed === true) return 'stay';
  return {
    progress: p,
    effects: [],
    flag: 'Somebody brought our VHTLC to the chain, and with it the change of the same transaction: that leaves the balance, and moves on the chain alone.',
  };
}
