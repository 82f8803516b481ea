import type { Clocks } from '../../domain/time.ts';
import { safeToLockOnEvm } from '../../legs/safety/lock.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../machine.ts';
import { fundingSeen } from '../vhtlc-source/funding.ts';
import { fundedOf, ownCoins, stopped, withStrays, type Funded, type Pending } from '../vhtlc-source/terms.ts';
import { isBuried, mistaken, ownLock, redeemed } from './seen.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms } from './terms.ts';

type P = ArkadeEvmProgress;
type T = ArkadeEvmTerms;

/** Waiting for the client's coin; takes the first that is right and safe to lock against. */
export function whenPending(t: T, p: Pending, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'refund.cosign.requested') return move<P>(p.fenced ? p : { at: 'pending', fenced: true });
  if (event.is !== 'vhtlc.seen') return 'stay';
  const seen = fundingSeen(t, p, event, now);
  if (seen.is === 'nothing') return 'stay';
  if (seen.is === 'stopped') return move<P>(seen.progress);
  const { coin, funded } = seen;
  const { sourceAmount, network, vhtlc } = t;
  const timelock = lockEnd(t);
  const lock = { coin, sourceAmount, refundLocktime: vhtlc.refundLocktime, network, timelock };
  const unsafe = safeToLockOnEvm(lock, now, t.policy);
  if (unsafe === null) return move<P>({ at: 'funded', ...funded }, lockEffect(t, funded));
  return unsafe.unsafe === 'wait' ? 'stay' : move<P>(stopped('late', unsafe.sentence, false, ownCoins(t, funded)));
}

/** The coin is good, and nothing of ours is signed yet. */
export function whenFunded(t: T, p: P & { at: 'funded' }, event: Event, now: Clocks): Outcome<P> {
  const own = lockSeen(t, p, event);
  if (own !== null) return own;
  if (event.is === 'evm.prepared' && event.purpose === 'lock')
    return move<P>({ at: 'locking', sent: event.txid, ...fundedOf(p) });
  if (event.is === 'evm.refused' && event.purpose === 'lock') return withoutLock(t, p, event.reason, now);
  if (event.is === 'evm.stands' && event.purpose === 'lock') return move<P>({ ...p, halted: now.wall });
  if (event.is === 'evm.seen' && event.network === t.network && mistaken(p, event))
    return move<P>({ at: 'funded', ...fundedOf(p) }, lockEffect(t, p));
  return straysSeen(p, event);
}

/** Our lock is signed, and on its way whatever comes: it stands once it is mined. */
export function whenLocking(t: T, p: P & { at: 'locking' }, event: Event, now: Clocks): Outcome<P> {
  const own = lockSeen(t, p, event);
  if (own !== null) return own;
  if (event.is !== 'evm.sent' || event.txid !== p.sent) return straysSeen(p, event);
  // Its nonce went to something else: it never happens, and another may be made if there is still time.
  if (event.state.is === 'gone') return move<P>({ at: 'funded', ...fundedOf(p) }, lockEffect(t, p));
  return event.state.is === 'mined' && !event.state.ok && isBuried(t, event.state)
    ? withoutLock(t, p, 'the contract refused the lock', now)
    : 'stay';
}

/**
 * Nothing of ours stands as far as this database knows; one that was restored may have forgotten a lock, and then exactly
 * that is why another one is refused. Until the chain was looked at, no refund is signed (facts/faults.md 5).
 */
function withoutLock(t: T, p: Funded, reason: string, { wall }: Clocks): Step<P> {
  const doubt = { since: wall, coin: p.coin, surplus: p.surplus };
  return move<P>({ ...stopped('wont', reason, false, ownCoins(t, p)), doubt });
}

/** The block with our lock in it went away, and something else used its nonce for good: it never was. */
export function lockGone(t: T, p: Funded, now: Clocks): Step<P> {
  return {
    ...withoutLock(t, p, 'our lock was lost to another transaction of the same account', now),
    supersedes: true,
    flag: 'The transaction of our lock was replaced by another one of the same account: see whether another program uses its key.',
  };
}

/** A lock of exactly our terms is our lock, whoever made it: there can be no second one (DECISIONS.md, "A lock that is there already is the swap's lock"). */
export function lockSeen(t: T, p: Funded & { readonly sent?: string }, event: Event): Step<P> | null {
  const lock = ownLock(t, event);
  if (lock === null) return null;
  const sent = p.sent ?? null;
  if (lock.state.is === 'redeemed') return redeemed(t, lock, { ...fundedOf(p), sent }, null);
  // Of one that this database did not make one RPC's word is none: it would wait for an end that never comes (facts/faults.md 84).
  if (sent === null && lock.confirmations < 1) return null;
  const locked: P = { at: 'locked', reverts: 0, ...fundedOf(p), sent, fundTxid: lock.txid };
  return { progress: locked, effects: [], ...(sent === null ? { supersedes: true } : {}) };
}

export function straysSeen<S extends P & Funded>(p: S, event: Event): Outcome<P> {
  const next = withStrays(p, event);
  return next === p ? 'stay' : move<P>(next);
}

function lockEnd({ lock }: T) {
  return Number(lock.timelock) as Clocks['wall'];
}

function lockEffect(t: T, p: Funded): Effect {
  const { network, contracts, lock, sourceAmount, script, policy } = t;
  return {
    do: 'evm.send',
    network,
    contracts,
    act: { is: 'lock', lock },
    deadline: t.lockBefore,
    value: sourceAmount,
    onlyIf: {
      notAfter: t.lockBefore,
      backing: {
        script,
        outpoint: p.coin,
        sourceAmount,
        refundLocktime: t.vhtlc.refundLocktime,
        network,
        timelock: lockEnd(t),
        policy,
      },
    },
  };
}
