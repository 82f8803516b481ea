import type { Outpoint } from '../../domain/outpoint.ts';
import { furthest, type Clocks } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../machine.ts';
import { claimShown } from './seen.ts';
import type { Claim, Lock, TargetTerms } from './terms.ts';

/** What a direction makes of its way to the lock: `S` before there is one, `L` with it. */
export interface Locking<T extends TargetTerms, S, L extends Lock, P> {
  /** The last look before the lock. */
  judge(t: T, p: S, now: Clocks): Safety;
  /** What must still hold when it is sent. */
  onlyIf(t: T, p: S | L): OnlyIf;
  declined(t: T, p: S | L, reason: string): Step<P>;
  ready(p: L): P;
  locking(p: S, lock: Outpoint): P;
  locked(p: S | L, lock: Outpoint): P;
  claimed(t: T, p: L, claim: Claim): Step<P>;
}

/** Asks for the lock: prepared, and not sent. */
export function lockEffect(t: TargetTerms): Effect {
  return { do: 'vhtlc.lock', script: t.script, amount: t.targetAmount, minExpiry: t.minCoinExpiry, ownScript: true };
}

/** Prepared but not sent: this commit is the write-ahead record of the lock, and the last look before it. */
export function whenReady<T extends TargetTerms, S, L extends Lock, P>(
  t: T,
  p: S,
  event: Event,
  now: Clocks,
  of: Locking<T, S, L, P>,
): Outcome<P> {
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock') return of.declined(t, p, event.reason);
  // Nothing is out yet: while the chain's clock is unread, the wall's word is enough to give up.
  if (event.is === 'clock' && (furthest(now.bitcoin).mtp ?? now.wall) > t.lockBefore)
    return of.declined(t, p, 'too little time is left for the client to claim');
  if (event.is === 'vhtlc.seen') return lockFound(t, p, event, of);
  if (event.is !== 'vhtlc.prepared' || event.purpose !== 'lock') return 'stay';
  const unsafe = of.judge(t, p, now);
  if (unsafe !== null) return of.declined(t, p, unsafe.sentence);
  return move<P>(of.locking(p, event.output), {
    do: 'vhtlc.submit',
    purpose: 'lock',
    txid: event.txid,
    onlyIf: of.onlyIf(t, p),
  });
}

/**
 * A database that was restored from a backup knows nothing of a lock that exists: it is taken for what it is, and none
 * is made beside it (facts/faults.md 5). Whoever sent the coin, it is the client's for its secret and ours after the locktime.
 */
function lockFound<T extends TargetTerms, S, L extends Lock, P>(
  t: T,
  p: S,
  { coins }: Event & { is: 'vhtlc.seen' },
  of: Locking<T, S, L, P>,
): Outcome<P> {
  const lock = coins.find(({ amount }) => amount === t.targetAmount);
  return lock === undefined ? 'stay' : { progress: of.locked(p, lock.outpoint), effects: [], supersedes: true };
}

/** The lock is on its way: final, or known never to have been. */
export function whenLocking<T extends TargetTerms, S, L extends Lock, P>(
  t: T,
  p: L & P,
  event: Event,
  now: Clocks,
  of: Locking<T, S, L, P>,
): Outcome<P> {
  if (event.is === 'vhtlc.accepted' && event.purpose === 'lock')
    return move<P>(p, { do: 'vhtlc.finalize', purpose: 'lock', txid: event.txid, onlyIf: of.onlyIf(t, p) });
  if (event.is === 'vhtlc.final' && event.purpose === 'lock') return move<P>(of.locked(p, p.lock));
  // Coins of ours went into another transaction first, or to the chain; this lock never was, so another may be made.
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock' && (event.why === 'spent' || event.why === 'unrolled'))
    return move<P>(of.ready(p), lockEffect(t));
  // Refused means that this lock does not exist: coins of ours went elsewhere, or it was never sent.
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock') return of.declined(t, p, event.reason);
  const claim = claimShown(t, p, event, now);
  return claim === null ? 'stay' : of.claimed(t, p, claim);
}
