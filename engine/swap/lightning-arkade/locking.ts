import type { Sats } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { safeToLock } from '../../legs/safety/lock.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
import { move, type Event, type Outcome, type Step } from '../machine.ts';
import { lockEffect, whenReady, type Locking } from '../vhtlc-target/locking.ts';
import { fate } from './fate.ts';
import { invoiceOf, type Invoice, type LightningArkadeProgress, type LightningArkadeTerms } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;
type Held = P & { at: 'held' };

function judgeLock(t: T, held: { amount: Sats; expiryHeight: number }, now: Clocks): Safety {
  return safeToLock({ held, sourceAmount: t.sourceAmount, vhtlcRefundLocktime: t.vhtlc.refundLocktime }, now, t.policy);
}

/** Waiting for the payment; held for long enough, it is worth a VHTLC. */
export function whenPending(t: T, p: P & { at: 'pending' }, event: Event, now: Clocks): Outcome<P> {
  // Our own clock on both sides: how far it is from the Lightning node's does not matter.
  if (event.is === 'clock' && now.wall >= t.fundBefore)
    return move<P>({ at: 'expiring', ...invoiceOf(p) }, { do: 'hold.cancel', hash: t.hash });
  if (event.is !== 'hold.seen') return 'stay';
  if (event.state.is === 'cancelled') return move({ at: 'expired', ...invoiceOf(p) });
  if (event.state.is !== 'held') return 'stay';
  const unsafe = judgeLock(t, event.state, now);
  if (unsafe !== null) return unsafe.unsafe === 'wait' ? 'stay' : declined(t, p, unsafe.sentence);
  return move<P>({ at: 'held', expiryHeight: event.state.expiryHeight, ...invoiceOf(p) }, lockEffect(t));
}

function declined(t: T, p: Invoice, reason: string): Step<P> {
  return {
    progress: { at: 'declining', reason, ...invoiceOf(p) },
    effects: [{ do: 'hold.cancel', hash: t.hash }],
    supersedes: true,
  };
}

/** From the held payment to the VHTLC that is locked against it. */
export const locking: Locking<T, Held, P & { at: 'locking' }, P> = {
  judge: (t, { expiryHeight }, now) => judgeLock(t, { amount: t.sourceAmount, expiryHeight }, now),
  onlyIf: (t) => ({
    notAfter: t.lockBefore,
    held: { hash: t.hash, sourceAmount: t.sourceAmount, vhtlcRefundLocktime: t.vhtlc.refundLocktime, policy: t.policy },
  }),
  declined,
  ready: (p) => ({ at: 'held', expiryHeight: p.expiryHeight, ...invoiceOf(p) }),
  locking: (p, lock) => ({ at: 'locking', expiryHeight: p.expiryHeight, lock, ...invoiceOf(p) }),
  locked: (p, lock) => ({ at: 'locked', lock, expiryHeight: p.expiryHeight, ...invoiceOf(p) }),
  claimed: fate.claimed,
};

/** Held: the lock is prepared, unless the payment goes back before it is sent. */
export function whenHeld(t: T, p: Held, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'hold.seen' && event.state.is === 'cancelled') {
    return {
      progress: { at: 'declined', reason: 'the held payment went back', ...invoiceOf(p) },
      effects: [],
      supersedes: true,
    };
  }
  return whenReady(t, p, event, now, locking);
}
