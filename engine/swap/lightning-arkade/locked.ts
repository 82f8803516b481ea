import type { Clocks } from '../../domain/time.ts';
import { safeToRefund } from '../../legs/safety.ts';
import { move, type Event, type Outcome } from '../machine.ts';
import { refundEffect } from './refunding.ts';
import { claimSeen, lateAlarm, unexplained } from './seen.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

/** The VHTLC is out: the client claims it, or we take it back after its locktime. */
export function whenLocked(t: T, p: P & { at: 'locked' }, event: Event, now: Clocks): Outcome<P> {
  const claimed = claimSeen(t, p, event);
  if (claimed !== null) return claimed;
  if (event.is === 'clock' && safeToRefund({ fence: 'open', refundLocktime: t.vhtlc.refundLocktime }, now) === null) {
    return move<P>({ at: 'refunding', refundTxid: null, ...lockOf(p) }, refundEffect(t, p));
  }
  return unexplained(p, event) ?? lateAlarm(t, p, now);
}
