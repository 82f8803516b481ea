import { isHeight, type Clocks } from '../../../../domain/time.ts';
import type { OnlyIf } from '../../../../legs/only-if.ts';
import { move, type Effect, type Event } from '../../../machine.ts';
import { isBuried, mistaken, ownLock, redeemed } from './seen.ts';
import type { EvmTargetTerms as T, Stage, Fact, Reply } from './terms.ts';

/** Asks for the lock, under the conditions by which what it is made for is still good. */
export function lockEffect({ network, contracts, lock, sourceAmount }: T, onlyIf: OnlyIf): Effect {
  const { notAfter } = onlyIf;
  // No lock on an EVM chain is late by a height of Bitcoin's.
  const deadline = isHeight(notAfter) ? null : notAfter;
  return { do: 'evm.send', network, contracts, act: { is: 'lock', lock }, deadline, value: sourceAmount, onlyIf };
}

/** What it is given for is good, and nothing of ours is signed yet. */
export function whenFunded<S extends Stage<'funded'>>(t: T, p: S, event: Event, now: Clocks): Reply<S> {
  const own = lockSeen(t, null, event);
  if (own !== null) return own;
  if (event.is === 'evm.prepared' && event.purpose === 'lock')
    return { fact: 'next', next: { at: 'locking', sent: event.txid } };
  if (event.is === 'evm.refused' && event.purpose === 'lock') return withoutLock(event.reason, now);
  if (event.is === 'evm.already-done' && event.purpose === 'lock') return move<S>({ ...p, halted: now.wall });
  if (event.is === 'evm.seen' && event.network === t.network && mistaken(p, event)) return { fact: 'again' };
  return null;
}

/** Our lock is signed, and on its way whatever comes: it stands once it is mined. */
export function whenLocking<S extends Stage<'locking'>>(t: T, p: S, event: Event, now: Clocks): Reply<S> {
  const own = lockSeen(t, p.sent, event);
  if (own !== null) return own;
  if (event.is !== 'evm.sent' || event.txid !== p.sent) return null;
  // Its nonce went to something else: it never happens, and another may be made if there is still time.
  if (event.state.is === 'gone') return { fact: 'again' };
  return event.state.is === 'mined' && !event.state.ok && isBuried(t, event.state)
    ? withoutLock('the contract refused the lock', now)
    : 'stay';
}

/**
 * Nothing of ours stands as far as this database knows; one that was restored may have forgotten a lock, and then
 * exactly that is why another one is refused. Until the chain was looked at, no refund is signed (facts/faults.md 5).
 */
function withoutLock(reason: string, { wall }: Clocks): Fact & { readonly fact: 'declined' } {
  return { fact: 'declined', why: 'wont', reason, doubt: { since: wall } };
}

/** The block with our lock in it went away, and something else used its nonce for good: it never was. */
export function lockGone(now: Clocks): Fact {
  return {
    ...withoutLock('our lock was lost to another transaction of the same account', now),
    along: {
      supersedes: true,
      flag:
        'A reorganisation took our lock, and another transaction of the same account has its place: unless its time was ' +
        'over, see whether another program uses the key.',
    },
  };
}

/**
 * A lock of exactly our terms is our lock, whoever made it: there can be no second one (DECISIONS.md, "A lock that is
 * there already is the swap's lock").
 */
export function lockSeen(t: T, sent: string | null, event: Event): Fact | null {
  const lock = ownLock(t, event);
  if (lock === null) return null;
  if (lock.state.is === 'redeemed') return redeemed(t, lock, sent, null);
  // Of one that this database did not make one RPC's word is none: it would wait for an end that never comes
  // (facts/faults.md 84).
  if (sent === null && lock.confirmations < 1) return null;
  return {
    fact: 'next',
    next: { at: 'locked', reverts: 0, sent, fundTxid: lock.txid },
    ...(sent === null ? { along: { supersedes: true } } : {}),
  };
}
