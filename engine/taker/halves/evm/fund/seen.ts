import { sameBytes } from '../../../../domain/hash.ts';
import { after, type Clocks, type Unix } from '../../../../domain/time.ts';
import type { SeenLock } from '../../../../legs/evm/events.ts';
import { swapKey } from '../../../../legs/evm/swap-key.ts';
import { lockEnd, timelockPassed } from '../../../../legs/evm/timelocks.ts';
import { isBy } from '../../../../legs/evm/wanted-locks.ts';
import { move, type Event, type Outcome } from '../../../../swap/machine.ts';
import type { Beside, Forfeited, Window } from '../../fund.ts';
import { mayComeAgain } from './pause.ts';
import { refundAlone } from './refunding.ts';
import { fundedAs, baseOf, type EvmFunding, type EvmFundTerms, type Base, type Made } from './terms.ts';

type T = EvmFundTerms;
type P = EvmFunding;
export type Open = P & { readonly at: 'waiting' | 'funding' | 'funded' | 'asking' | 'refunding' };
/** What the chain shows of a lock that was taken with the preimage. */
type Redeemed = SeenLock['state'] & { readonly is: 'redeemed' };

/**
 * The locks that our signature may have made: it says all of their terms but the amount, of which the coordinator locks
 * whatever it holds. Whoever locks as much in our place gives it to us or to the payee.
 */
function likeOurs({ deal: { source } }: Base, locks: readonly SeenLock[]): SeenLock[] {
  const { amount, ...agreed } = source.lock;
  return locks.filter(
    ({ key, terms }) => terms.amount >= amount && sameBytes(key, swapKey({ ...agreed, amount: terms.amount })),
  );
}

/**
 * The one that is refunded to our account, one that stands before one that is over; the preimage of any proves that the
 * payee was paid. `refund`: what we take back, which may be so late that no RPC knows any more whose it was.
 */
function lockIn(t: T, locks: readonly SeenLock[], refund: Made = null): SeenLock | null {
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

/** A lock that stands, and of which the chain's RPCs do not say yet whose it is; one that is nobody's is not ours. */
function isUnclear({ depositor, state }: SeenLock): boolean {
  return depositor === null && state.is === 'active';
}

/**
 * RPCs that differ over whose it is must not keep it: from the timelock on whoever it is refunded to is paid by
 * anybody's transaction, so that ours brings it home or does nothing to us (facts/faults.md 88).
 */
function whenUnclear(t: T, p: Open, lock: SeenLock, now: Clocks): Outcome<P> {
  const mayBeOurs = p.signedUntil !== null && p.at !== 'refunding' && lock.confirmations >= t.burial;
  if (!mayBeOurs || !timelockPassed(lockEnd(p.deal.source), now, t.chain)) return 'stay';
  return refundAlone({ ...baseOf(p), made: { txid: lock.txid, amount: lock.terms.amount } });
}

/** Too late to be locked: nobody can any more by a signature of ours, nor did so in a block that may still change. */
function isOver({ signedUntil }: Base, time: Unix, { wall }: Clocks, window: Window): boolean {
  const windowPassed = wall >= window.over;
  return windowPassed && signedUntil !== null && time >= after(signedUntil, mayComeAgain);
}

/** Chains forget a block, RPCs a log: a lock that stood once is looked for until we could take it back alone. */
function stillThere(p: Base): Unix {
  const timelock = lockEnd(p.deal.source);
  return p.signedUntil !== null && p.signedUntil > timelock ? p.signedUntil : timelock;
}

/** The chain decides, whatever anybody says. */
export function whenLockSeen(
  t: T,
  p: Open,
  { locks, time }: Event & { is: 'evm.seen' },
  now: Clocks,
  beside: Beside,
): Outcome<P> | Forfeited<P> {
  const alike = likeOurs(p, locks);
  const lock = lockIn(t, alike, p.at === 'refunding' ? p.made : null);
  // The block in which it was taken is gone.
  if (p.at === 'funded' && p.takenBy !== null && lock?.state.is === 'active') return move<P>({ ...p, takenBy: null });
  if (lock === null) {
    const unclear = alike.find(isUnclear);
    if (unclear !== undefined) return whenUnclear(t, p, unclear, now);
    if (p.at === 'waiting' && isOver(p, time, now, beside.window)) return move<P>({ at: 'lapsed', ...baseOf(p) });
    if (p.at !== 'funded' && p.at !== 'asking') return 'stay';
    const notBefore = after(now.wall, mayComeAgain);
    const without = { ...baseOf(p), made: null, signedUntil: stillThere(p) };
    return { progress: { at: 'waiting', notBefore, declined: null, ...without }, effects: [], supersedes: true };
  }
  const seen: Base = { ...baseOf(p), made: { txid: lock.txid, amount: lock.terms.amount } };
  const { state } = lock;
  if (state.is === 'redeemed') return taken(p, seen, state, beside);
  if (state.is === 'refunded')
    return state.confirmations < t.burial
      ? 'stay'
      : { progress: { at: 'done', refundTxid: state.txid, ...seen }, effects: [], supersedes: true };
  // One that was made again in another block may hold another amount.
  const isNew = p.made?.txid !== lock.txid || p.made.amount !== lock.terms.amount;
  return isNew ? { progress: fundedAs(seen), effects: [], supersedes: true } : 'stay';
}

/**
 * The provider took our lock. A payee gave the secret for the payment alone; one of ours it has from a life of this
 * node that this database forgot.
 */
function taken(p: Open, seen: Base, { txid, preimage }: Redeemed, { secret, fate }: Beside): Outcome<P> | Forfeited<P> {
  const next: Base = { ...seen, takenBy: txid };
  if (secret === 'payee')
    return { progress: { at: 'claimed', ...next }, effects: [], supersedes: true, learned: preimage };
  if (fate === 'lost') return { fact: 'forfeited', lost: { at: 'lost', ...next }, along: { supersedes: true } };
  return p.at === 'funded' && p.takenBy === txid ? 'stay' : { progress: fundedAs(next), effects: [], supersedes: true };
}

/** The provider takes ours with the secret that our claim shows. */
export function whenTaken(t: T, p: Base, { locks }: Event & { is: 'evm.seen' }): Outcome<Base> {
  const state = lockIn(t, likeOurs(p, locks))?.state;
  return state?.is === 'redeemed' && p.takenBy !== state.txid ? move<Base>({ ...p, takenBy: state.txid }) : 'stay';
}
