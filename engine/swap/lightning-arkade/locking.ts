import type { Sats } from '../../domain/money.ts';
import { furthest, type Clocks } from '../../domain/time.ts';
import { safeToLock, type Safety } from '../../legs/safety.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { move, type Effect, type Event, type Outcome } from '../machine.ts';
import { claimSeen } from './seen.ts';
import { invoiceOf, lockOf, type Invoice, type LightningArkadeProgress, type LightningArkadeTerms } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

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
  if (unsafe !== null) return unsafe.unsafe === 'wait' ? 'stay' : decline(t, p, unsafe.sentence);
  return move<P>({ at: 'held', expiryHeight: event.state.expiryHeight, ...invoiceOf(p) }, lockEffect(t));
}

function lockEffect(t: T): Effect {
  return { do: 'vhtlc.lock', script: t.script, amount: t.targetAmount, minExpiry: t.minCoinExpiry, ownScript: true };
}

/**
 * A database that was restored from a backup knows nothing of a lock that exists: it is taken for what it is, and none
 * is made beside it (facts/faults.md 5). Whoever sent the coin, it is the client's for its secret and ours after the locktime.
 */
function lockFound(t: T, p: P & { at: 'held' }, coins: readonly SeenCoin[]): Outcome<P> {
  const lock = coins.find(({ amount }) => amount === t.targetAmount);
  return lock === undefined
    ? 'stay'
    : {
        progress: { at: 'locked', lock: lock.outpoint, expiryHeight: p.expiryHeight, ...invoiceOf(p) },
        effects: [],
        supersedes: true,
      };
}

function decline(t: T, p: Invoice, reason: string): Outcome<P> {
  return {
    progress: { at: 'declining', reason, ...invoiceOf(p) },
    effects: [{ do: 'hold.cancel', hash: t.hash }],
    supersedes: true,
  };
}

/** Prepared but not sent: this commit is the write-ahead record of the lock, and the last look before it. */
export function whenHeld(t: T, p: P & { at: 'held' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'hold.seen' && event.state.is === 'cancelled') {
    return {
      progress: { at: 'declined', reason: 'the held payment went back', ...invoiceOf(p) },
      effects: [],
      supersedes: true,
    };
  }
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock') return decline(t, p, event.reason);
  // Nothing is out yet: while the chain's clock is unread, the wall's word is enough to give the payment back.
  if (event.is === 'clock' && (furthest(now.bitcoin).mtp ?? now.wall) > t.lockBefore)
    return decline(t, p, 'too little time is left for the client to claim');
  if (event.is === 'vhtlc.seen') return lockFound(t, p, event.coins);
  if (event.is !== 'vhtlc.prepared' || event.purpose !== 'lock') return 'stay';
  const unsafe = judgeLock(t, { amount: t.sourceAmount, expiryHeight: p.expiryHeight }, now);
  if (unsafe !== null) return decline(t, p, unsafe.sentence);
  return move<P>(
    { at: 'locking', expiryHeight: p.expiryHeight, lock: event.output, ...invoiceOf(p) },
    {
      do: 'vhtlc.submit',
      purpose: 'lock',
      txid: event.txid,
      onlyIf: whileHeld(t),
    },
  );
}

function whileHeld(t: T): OnlyIf {
  return {
    notAfter: t.lockBefore,
    held: { hash: t.hash, sourceAmount: t.sourceAmount, vhtlcRefundLocktime: t.vhtlc.refundLocktime, policy: t.policy },
  };
}

/** The lock is on its way: final, or known never to have been. */
export function whenLocking(t: T, p: P & { at: 'locking' }, event: Event): Outcome<P> {
  if (event.is === 'vhtlc.accepted' && event.purpose === 'lock')
    return move<P>(p, { do: 'vhtlc.finalize', purpose: 'lock', txid: event.txid, onlyIf: whileHeld(t) });
  if (event.is === 'vhtlc.final' && event.purpose === 'lock') return move<P>({ at: 'locked', ...lockOf(p) });
  // Coins of ours went into another transaction first, or to the chain; this lock never was, so another may be made.
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock' && (event.why === 'spent' || event.why === 'unrolled')) {
    return move<P>({ at: 'held', expiryHeight: p.expiryHeight, ...invoiceOf(p) }, lockEffect(t));
  }
  // Refused means that this lock does not exist: coins of ours went elsewhere, or it was never sent.
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock') return decline(t, p, event.reason);
  return claimSeen(t, p, event) ?? 'stay';
}
