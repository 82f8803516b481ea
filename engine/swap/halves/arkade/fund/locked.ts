import type { Clocks } from '../../../../domain/time.ts';
import { safeToRefund } from '../../../../legs/safety/refund.ts';
import { stepTo } from '../../answer.ts';
import type { Surety } from '../../surety.ts';
import type { Event, Step } from '../../../machine.ts';
import { refundEffect } from './refunding.ts';
import { claimFact, claimShown, forfeitShown, lateAlarm, lockedCoin, unexplained } from './seen.ts';
import type { Stage, TargetTerms as T, Reply } from './terms.ts';

/** The VHTLC is out: the client claims it, or we take it back after its locktime. */
export function whenLocked<S extends Stage<'locked'>>(t: T, p: S, event: Event, now: Clocks, surety: Surety): Reply<S> {
  const claim = claimShown(t, p, event, now);
  if (claim !== null) return claimFact(p, claim, {});
  const forfeit = forfeitShown(t, p, event, now);
  if (forfeit !== null) return forfeit;
  if (event.is === 'clock' && safeToRefund({ refundLocktime: t.vhtlc.refundLocktime }, now) === null)
    return {
      fact: 'next',
      next: { at: 'refunding', refundTxid: null, lock: p.lock },
      along: { effects: [refundEffect(t, p)] },
    };
  const alarm = unexplained(p, event, surety) ?? lateAlarm(p, now, surety);
  return alarm === 'stay' ? onChain(p, event) : alarm;
}

/** The client may still claim there, and so will we look there; but our change came along, which no swap can use. */
function onChain<S extends Stage<'locked'>>(p: S, event: Event): Step<S> | null {
  if (lockedCoin(p, event)?.unrolled !== true || p.alarmed === true) return null;
  return stepTo(p, {
    flag:
      'Somebody brought our VHTLC to the chain, and with it our change of that transaction: this leaves the ' +
      'balance, spendable on the chain only.',
  });
}
