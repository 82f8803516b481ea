import { sameBytes } from '../../domain/hash.ts';
import { after, minute, seconds, unix, type Clocks, type Unix } from '../../domain/time.ts';
import type { SeenLock } from '../../legs/evm/events.ts';
import { swapKey, type LockTerms } from '../../legs/evm/swap-key.ts';
import { timelockPassed } from '../../legs/evm/timelocks.ts';
import { move, type Event, type Outcome, type Step } from '../../swap/machine.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import { dealtOf, type Dealt, type TakeEvmLightningProgress, type TakeEvmLightningTerms } from './terms.ts';

type T = TakeEvmLightningTerms;
type P = TakeEvmLightningProgress;
type Open = P & { readonly at: 'waiting' | 'funding' | 'locked' | 'asking' | 'refunding' };

/** How long a provider that declined is left alone. */
const pause = minute;
/** A lock whose block is gone may come again by the same transaction. */
const mayComeAgain = seconds(10 * minute);

export function timelockOf({ deal }: Dealt): Unix {
  return unix(Number(deal.source.lock.timelock));
}

/** A wall clock that was set back must not make a pause of minutes one of days. */
export function hasRested(notBefore: Unix | null, { wall }: Clocks): boolean {
  return notBefore === null || wall >= notBefore || wall + mayComeAgain < notBefore;
}

/**
 * The locks that our signature may have made: it says all of their terms but the amount, of which the coordinator locks whatever it
 * holds. Whoever locks as much in our place gives it to us or to the payee.
 */
function likeOurs({ deal: { source } }: Dealt, locks: readonly SeenLock[]): SeenLock[] {
  const { amount, ...agreed } = source.lock;
  return locks.filter(
    ({ key, terms }) => terms.amount >= amount && sameBytes(key, swapKey({ ...agreed, amount: terms.amount })),
  );
}

/** The one that is refunded to our account, one that stands before one that is over; the preimage of any proves that the payee was paid. */
function lockIn(t: T, locks: readonly SeenLock[]): SeenLock | null {
  const ours = locks.filter(({ depositor }) => depositor !== null && sameBytes(depositor, t.account));
  return (
    locks.find(({ state }) => state.is === 'redeemed') ??
    ours.find(({ state }) => state.is === 'active') ??
    ours[0] ??
    null
  );
}

/** A lock that stands, and of which the chain's RPC does not say yet whose it is. */
function isUnclear({ depositor, state }: SeenLock): boolean {
  return depositor === null && state.is === 'active';
}

/** Too late to be locked: nobody can any more by a signature of ours, nor did so in a block that may still change. */
function isOver({ deal, signedUntil }: Dealt, time: Unix, { wall }: Clocks): boolean {
  const isLate = wall >= deal.target.expiresAt;
  return isLate && signedUntil !== null && time >= after(signedUntil, mayComeAgain);
}

/** The chain decides, whatever anybody says. */
export function whenLockSeen(t: T, p: Open, { locks, time }: Event & { is: 'evm.seen' }, now: Clocks): Outcome<P> {
  const alike = likeOurs(p, locks);
  const lock = lockIn(t, alike);
  if (lock === null) {
    if (alike.some(isUnclear)) return 'stay';
    if (p.at === 'waiting' && isOver(p, time, now)) return move<P>({ at: 'lapsed', ...dealtOf(p) });
    if (p.at !== 'locked' && p.at !== 'asking') return 'stay';
    const notBefore = after(now.wall, mayComeAgain);
    const progress: P = { at: 'waiting', notBefore, declined: null, ...dealtOf(p), made: null };
    return { progress, effects: [], supersedes: true };
  }
  const dealt: Dealt = { ...dealtOf(p), made: { txid: lock.txid, amount: lock.terms.amount } };
  const { state } = lock;
  if (state.is === 'redeemed')
    return {
      progress: { at: 'paid', claimTxid: state.txid, ...dealt },
      effects: [],
      supersedes: true,
      learned: state.preimage,
    };
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

export function whenLocked(t: T, p: P & { at: 'locked' }, event: Event, now: Clocks): Outcome<P> {
  const isOpen = timelockPassed(timelockOf(p), now, t.chain);
  const rested = hasRested(p.notBefore, now);
  switch (event.is) {
    case 'provider.seen':
      if (payerIsOut.has(event.status) && rested && !isOpen) return ask(t, { ...p, said: event.status });
      return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
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
function ask(t: T, p: Dealt): Step<P> {
  const { swapId, source } = p.deal;
  const { network, contracts } = source;
  const lock = lockOf(p);
  return move<P>(
    { at: 'asking', ...dealtOf(p) },
    { do: 'provider.refund-evm', provider: t.provider, swapId, network, contracts, lock, key: t.evmKey },
  );
}

/** Pays our account, whoever sends it: ours does. */
function alone(p: Dealt): Step<P> {
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

export function whenAsking(t: T, p: P & { at: 'asking' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'provider.relayed':
      return move<P>({ at: 'locked', notBefore: after(now.wall, mayComeAgain), declined: null, ...dealtOf(p) });
    case 'provider.declined':
      return move<P>({ at: 'locked', notBefore: after(now.wall, pause), declined: event.reason, ...dealtOf(p) });
    case 'clock':
      return timelockPassed(timelockOf(p), now, t.chain) ? alone(p) : 'stay';
    default:
      return 'stay';
  }
}

export function whenRefunding(p: P & { at: 'refunding' }, event: Event): Outcome<P> {
  if (event.is === 'evm.prepared')
    return event.purpose === 'taker-refund' ? move<P>({ ...p, sent: event.txid }) : 'stay';
  if (event.is !== 'evm.sent' || event.purpose !== 'taker-refund' || event.txid !== p.sent) return 'stay';
  const { state } = event;
  return state.is === 'gone' || (state.is === 'mined' && !state.ok) ? alone(p) : 'stay';
}
