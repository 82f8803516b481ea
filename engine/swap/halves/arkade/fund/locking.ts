import { furthest, type Clocks } from '../../../../domain/time.ts';
import { leafOf } from '../../extra-coins.ts';
import { forgottenCoin } from '../../forgotten-coin.ts';
import type { ForgottenAmount } from '../../fund.ts';
import type { Backing } from '../../surety.ts';
import type { Effect, Event, EventOf } from '../../../machine.ts';
import { claimFact, claimShown, forfeitShown } from './seen.ts';
import type { Stage, TargetTerms as T, Fact, Reply } from './terms.ts';

/** Asks for the lock: prepared, and not sent. */
export function lockEffect(t: T): Effect {
  return { do: 'vhtlc.lock', script: t.script, amount: t.targetAmount, minExpiry: t.minCoinExpiry, ownScript: true };
}

function declined(reason: string): Fact {
  return { fact: 'declined', why: 'wont', reason, doubt: null, along: { supersedes: true } };
}

/** Prepared but not sent: this commit is the write-ahead record of the lock, and the last look before it. */
export function whenReady(t: T, event: Event, now: Clocks, backing: Backing): Fact | 'stay' | null {
  switch (event.is) {
    case 'vhtlc.refused':
      return event.purpose === 'lock' ? declined(event.reason) : null;
    case 'clock':
      // Nothing is out yet: while the chain's clock is unread, the wall's word is enough to give up.
      return (furthest(now.bitcoin).mtp ?? now.wall) > t.lockBefore
        ? declined('too little time is left for the client to claim')
        : 'stay';
    case 'vhtlc.seen':
      return lockFound(t, event) ?? 'stay';
    case 'vhtlc.prepared': {
      if (event.purpose !== 'lock') return null;
      const unsafe = backing.judge(now);
      // What is not known yet, as a clock after a start, the submission waits for: it judges the same again.
      if (unsafe?.unsafe === 'never') return declined(unsafe.sentence);
      const { output: lock, txid } = event;
      const { onlyIf } = backing;
      return {
        fact: 'next',
        next: { at: 'locking', lock },
        along: { effects: [{ do: 'vhtlc.submit', purpose: 'lock', txid, onlyIf }] },
      };
    }
    default:
      return null;
  }
}

/** Prepared, and perhaps with the operator, which says what became of it. */
export function submitEffect({ lock: { txid } }: Stage<'locking'>, { onlyIf }: Backing): Effect {
  return { do: 'vhtlc.submit', purpose: 'lock', txid, onlyIf };
}

/**
 * A database that was restored from a backup knows nothing of a lock that exists: it is taken for what it is, and none
 * is made beside it (facts/faults.md 5). Whoever sent the coin, it is the client's for its secret and ours after the
 * locktime.
 */
export function lockFound(t: T, { coins }: EventOf<'vhtlc.seen'>, holds: ForgottenAmount = 'as agreed'): Fact | null {
  const there = forgottenCoin(t, coins, holds, (coin) => leafOf(coin)?.leaf === 'claim');
  if (there === null) return null;
  return { fact: 'next', next: { at: 'locked', lock: there.outpoint }, along: { supersedes: true } };
}

/** The lock is on its way: final, or known never to have been. */
export function whenLocking<S extends Stage<'locking'>>(
  t: T,
  p: S,
  event: Event,
  now: Clocks,
  { onlyIf }: Backing,
): Reply<S> {
  const { txid } = p.lock;
  if (event.is === 'vhtlc.accepted' && event.purpose === 'lock' && event.txid === txid)
    return { progress: p, effects: [{ do: 'vhtlc.finalize', purpose: 'lock', txid, onlyIf }] };
  if (event.is === 'vhtlc.final' && event.purpose === 'lock' && event.txid === txid)
    return { fact: 'next', next: { at: 'locked', lock: p.lock } };
  if (event.is === 'vhtlc.refused' && event.purpose === 'lock' && (event.txid ?? txid) === txid)
    // Coins of ours went into another transaction first, or to the chain; this lock never was, so another may be made.
    return event.why === 'spent' || event.why === 'unrolled' ? { fact: 'again' } : declined(event.reason);
  const claim = claimShown(t, p, event, now);
  return claim === null ? forfeitShown(t, p, event, now) : claimFact(p, claim, {});
}
