import { sameBytes } from '../../domain/hash.ts';
import { after, minute, seconds, type Clocks, type Unix } from '../../domain/time.ts';
import type { SeenLock } from '../../legs/evm/events.ts';
import { swapKey, type LockTerms } from '../../legs/evm/swap-key.ts';
import { timelockPassed } from '../../legs/evm/timelocks.ts';
import { isBy } from '../../legs/evm/wanted-locks.ts';
import { move, type Event, type Outcome, type Step } from '../../swap/machine.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import {
  dealtOf,
  timelockOf,
  type Dealt,
  type EvmSourceProgress,
  type EvmSourceTerms,
  type SatsLeg,
  type Window,
} from './terms.ts';

type T = EvmSourceTerms;
type P<G extends SatsLeg> = EvmSourceProgress<G>;
type Open<G extends SatsLeg> = P<G> & { readonly at: 'waiting' | 'funding' | 'locked' | 'asking' | 'refunding' };
/** What the chain shows of a lock that was taken with the preimage. */
export type Redeemed = SeenLock['state'] & { readonly is: 'redeemed' };

/** How long a provider that declined is left alone. */
const pause = minute;
/** A lock whose block is gone may come again by the same transaction. */
const mayComeAgain = seconds(10 * minute);

/** A wall clock that was set back must not make a pause of minutes one of days. */
export function hasRested(notBefore: Unix | null, { wall }: Clocks): boolean {
  return notBefore === null || wall >= notBefore || wall + mayComeAgain < notBefore;
}

/**
 * The locks that our signature may have made: it says all of their terms but the amount, of which the coordinator locks
 * whatever it holds. Whoever locks as much in our place gives it to us or to the payee.
 */
function likeOurs({ deal: { source } }: Dealt, locks: readonly SeenLock[]): SeenLock[] {
  const { amount, ...agreed } = source.lock;
  return locks.filter(
    ({ key, terms }) => terms.amount >= amount && sameBytes(key, swapKey({ ...agreed, amount: terms.amount })),
  );
}

/**
 * The one that is refunded to our account, one that stands before one that is over; the preimage of any proves that the
 * payee was paid. `refund`: what we take back, which may be so late that no RPC knows any more whose it was.
 */
function lockIn(t: T, locks: readonly SeenLock[], refund: Dealt['made'] = null): SeenLock | null {
  const isRefunded = ({ txid, terms, depositor }: SeenLock): boolean =>
    refund?.txid === txid && refund.amount === terms.amount && (depositor === null || depositor === 'nobody');
  const ours = locks.filter((lock) => isBy(lock, t.account) || isRefunded(lock));
  return (
    locks.find(({ state }) => state.is === 'redeemed') ??
    ours.find(({ state }) => state.is === 'active') ??
    ours[0] ??
    null
  );
}

/** The lock that our signature made; null while there is none, or another than that of the deal. */
export function lockNow(t: EvmSourceTerms, p: Dealt, locks: readonly SeenLock[]): SeenLock | null {
  return lockIn(t, likeOurs(p, locks));
}

/** A lock that stands, and of which the chain's RPCs do not say yet whose it is; one that is nobody's is not ours. */
function isUnclear({ depositor, state }: SeenLock): boolean {
  return depositor === null && state.is === 'active';
}

/**
 * RPCs that differ over whose it is must not keep it: from the timelock on whoever it is refunded to is paid by
 * anybody's transaction, so that ours brings it home or does nothing to us (facts/faults.md 88).
 */
function whenUnclear<G extends SatsLeg>(t: T, p: Open<G>, lock: SeenLock, now: Clocks): Outcome<P<G>> {
  const mayBeOurs = p.signedUntil !== null && p.at !== 'refunding' && lock.confirmations >= t.burial;
  if (!mayBeOurs || !timelockPassed(timelockOf(p), now, t.chain)) return 'stay';
  return alone({ ...dealtOf(p), made: { txid: lock.txid, amount: lock.terms.amount } });
}

/** Too late to be locked: nobody can any more by a signature of ours, nor did so in a block that may still change. */
function isOver({ signedUntil }: Dealt, time: Unix, { wall }: Clocks, window: Window): boolean {
  const isLate = wall >= window.over;
  return isLate && signedUntil !== null && time >= after(signedUntil, mayComeAgain);
}

/** Chains forget a block, RPCs a log: a lock that stood once is looked for until we could take it back alone. */
function stillThere(p: Dealt): Unix {
  const timelock = timelockOf(p);
  return p.signedUntil !== null && p.signedUntil > timelock ? p.signedUntil : timelock;
}

/** The chain decides, whatever anybody says. `redeemed`: what it means that the provider took the lock. */
export function whenLockSeen<G extends SatsLeg, R>(
  t: T,
  p: Open<G>,
  { locks, time }: Event & { is: 'evm.seen' },
  now: Clocks,
  { window, redeemed }: { readonly window: Window; redeemed(p: Dealt<G>, state: Redeemed): Outcome<R> },
): Outcome<P<G> | R> {
  const alike = likeOurs(p, locks);
  const lock = lockIn(t, alike, p.at === 'refunding' ? p.made : null);
  if (lock === null) {
    const unclear = alike.find(isUnclear);
    if (unclear !== undefined) return whenUnclear(t, p, unclear, now);
    if (p.at === 'waiting' && isOver(p, time, now, window)) return move<P<G>>({ at: 'lapsed', ...dealtOf(p) });
    if (p.at !== 'locked' && p.at !== 'asking') return 'stay';
    const notBefore = after(now.wall, mayComeAgain);
    const dealt = { ...dealtOf(p), made: null, signedUntil: stillThere(p) };
    return { progress: { at: 'waiting', notBefore, declined: null, ...dealt }, effects: [], supersedes: true };
  }
  const dealt: Dealt<G> = { ...dealtOf(p), made: { txid: lock.txid, amount: lock.terms.amount } };
  const { state } = lock;
  if (state.is === 'redeemed') return redeemed(dealt, state);
  if (state.is === 'refunded')
    return state.confirmations < t.burial
      ? 'stay'
      : { progress: { at: 'refunded', refundTxid: state.txid, ...dealt }, effects: [], supersedes: true };
  // One that was made again in another block may hold another amount.
  const isNew = p.made?.txid !== lock.txid || p.made.amount !== lock.terms.amount;
  return isNew
    ? { progress: { at: 'locked', notBefore: null, declined: null, ...dealt }, effects: [], supersedes: true }
    : 'stay';
}

export function whenLocked<G extends SatsLeg>(
  t: T,
  p: P<G> & { at: 'locked' },
  event: Event,
  now: Clocks,
): Outcome<P<G>> {
  const isOpen = timelockPassed(timelockOf(p), now, t.chain);
  const rested = hasRested(p.notBefore, now);
  switch (event.is) {
    case 'provider.seen':
      if (payerIsOut.has(event.status) && rested && !isOpen) return ask(t, { ...p, said: event.status });
      return event.status === p.said ? 'stay' : move<P<G>>({ ...p, said: event.status });
    case 'refund.requested':
      return isOpen ? alone(p) : ask(t, p);
    case 'clock':
      return isOpen ? alone(p) : 'stay';
    default:
      return 'stay';
  }
}

/** Every term of it: a refund of any other amount is one of a lock that does not exist. */
function lockOf({ deal, made }: Dealt): LockTerms {
  const { lock } = deal.source;
  return { ...lock, amount: made?.amount ?? lock.amount };
}

/** With its consent the provider gives the lock up for good: it would sign after it paid at its own cost alone. */
function ask<G extends SatsLeg>(t: T, p: Dealt<G>): Step<P<G>> {
  const { swapId, source } = p.deal;
  const { network, contracts } = source;
  const lock = lockOf(p);
  return move<P<G>>(
    { at: 'asking', ...dealtOf(p) },
    { do: 'provider.refund-evm', provider: t.provider, swapId, network, contracts, lock, key: t.evmKey },
  );
}

/** Pays our account, whoever sends it: ours does. */
function alone<G extends SatsLeg>(p: Dealt<G>): Step<P<G>> {
  const { network, contracts } = p.deal.source;
  const lock = lockOf(p);
  return {
    progress: { at: 'refunding', sent: null, ...dealtOf(p) },
    effects: [
      {
        do: 'evm.send',
        network,
        contracts,
        act: { is: 'taker-refund', lock },
        deadline: null,
        value: p.deal.target.amount,
      },
    ],
    supersedes: true,
  };
}

export function whenAsking<G extends SatsLeg>(
  t: T,
  p: P<G> & { at: 'asking' },
  event: Event,
  now: Clocks,
): Outcome<P<G>> {
  switch (event.is) {
    case 'provider.relayed':
      return move<P<G>>({ at: 'locked', notBefore: after(now.wall, mayComeAgain), declined: null, ...dealtOf(p) });
    case 'provider.declined':
      return move<P<G>>({ at: 'locked', notBefore: after(now.wall, pause), declined: event.reason, ...dealtOf(p) });
    case 'clock':
      return timelockPassed(timelockOf(p), now, t.chain) ? alone(p) : 'stay';
    default:
      return 'stay';
  }
}

export function whenRefunding<G extends SatsLeg>(p: P<G> & { at: 'refunding' }, event: Event): Outcome<P<G>> {
  if (event.is === 'evm.prepared')
    return event.purpose === 'taker-refund' ? move<P<G>>({ ...p, sent: event.txid }) : 'stay';
  if (event.is !== 'evm.sent' || event.purpose !== 'taker-refund' || event.txid !== p.sent) return 'stay';
  const { state } = event;
  return state.is === 'gone' || (state.is === 'mined' && !state.ok) ? alone(p) : 'stay';
}
