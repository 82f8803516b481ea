import { sameBytes } from '../../../../domain/hash.ts';
import { after, day, hour, type Clocks, type Locktime, type Unix } from '../../../../domain/time.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import { move, type Effect, type Event, type Outcome, type EventOf } from '../../../machine.ts';
import { leftDeadline } from '../../extra-coins.ts';
import { hasUntaken, isClients, sameExtras, locksBeside } from './locks.ts';
import { endOf, noted, sending } from './sent.ts';
import {
  baseOf,
  isKey,
  leftOf,
  nothingAsked,
  stopped,
  timeOf,
  type Base,
  type Counted,
  type Deposited,
  type EvmSourceTerms as T,
  type Lapsed,
  type Left,
  type Refunded,
  type Stopped,
  type ExtraLock,
} from './terms.ts';

/** A state in which only locks are left that are not ours. */
type Over = Base & Left & Counted & { readonly extras: readonly ExtraLock[] };

/**
 * Refunds that we relay for one swap, to its client and to all others each: every one costs gas that nobody pays back
 * (facts/faults.md 57).
 */
const mostRefunds = 3;

type Ends<S> = Outcome<S | Stopped | Refunded | Lapsed>;

/** Nothing is given for what is locked: it is watched, and given back on request. */
export function whenStopped<S extends Stopped>(t: T, p: S, event: Event, now: Clocks): Ends<S> {
  switch (event.is) {
    case 'evm-refund.requested': {
      const step = refundRequested(t, p, event, now);
      // The refund of another lock gives nothing of the counted one away.
      if (step === 'stay' || (p.counted !== undefined && !sameBytes(p.counted.key, event.key))) return step;
      return { ...step, progress: { ...step.progress, fenced: true } };
    }
    case 'evm.seen':
      return withExtras(t, p, locksBeside(t, event.locks, null, p.counted?.key));
    case 'evm.unlocked':
      return withExtras(t, p, withoutLocks(p, event));
    case 'clock':
      if (hasUntaken(p.extras)) return leftAlone(t, p, now);
      return timeOf(t, now) >= lockEnd(t) && p.sent.length === 0 ? lapse(p) : 'stay';
    default:
      return whenRefunding(t, p, event);
  }
}

/** What was locked once, and vanished with its block, stays told of. */
function lapse<S extends Stopped>(p: S): Outcome<S | Lapsed> {
  if (p.why === 'expired') return move<Lapsed>({ at: 'lapsed' });
  return p.unwatched ? 'stay' : move<S>({ ...p, unwatched: true });
}

function withExtras<S extends Stopped>(t: T, p: S, extras: readonly ExtraLock[]): Ends<S> {
  if (sameExtras(extras, p.extras)) return 'stay';
  if (isGivenBack(t, p, extras)) return move<Refunded>({ at: 'refunded', extras, ...baseOf(p), ...leftOf(p) });
  return p.why === 'expired' && hasUntaken(extras)
    ? move<Stopped>(stopped('late', 'the lock came after the funding window', p, extras))
    : move<S>({ ...p, extras });
}

/**
 * Nobody can claim a lock of a swap that is over but us, who never do: what its contract does not hold any more went
 * back to its owner.
 */
function withoutLocks({ extras }: Over, { keys }: EventOf<'evm.unlocked'>): ExtraLock[] {
  return extras.map((extra) => (keys.some((key) => sameBytes(key, extra.key)) ? { ...extra, taken: true } : extra));
}

/** Whatever is the client's went back to it: what somebody else made keeps the swap from no end. */
function isGivenBack(t: T, p: Counted, extras: readonly ExtraLock[]): boolean {
  const own = extras.filter((extra) => isClients(t, p, extra));
  return extras.length > 0 && !hasUntaken(own.length > 0 ? own : extras);
}

/** Done with its own lock, or refunded; others are listed, and given back on request. */
export function whenOver<S extends Over & Partial<Pick<Deposited, 'deposit'>>>(
  t: T,
  p: S,
  event: Event,
  now: Clocks,
): Outcome<S> {
  switch (event.is) {
    case 'evm-refund.requested':
      return refundRequested(t, p, event, now);
    case 'evm.seen': {
      const extras = locksBeside(t, event.locks, p.deposit?.key ?? null, p.counted?.key);
      return sameExtras(extras, p.extras) ? 'stay' : move<S>({ ...p, extras });
    }
    case 'evm.unlocked': {
      const extras = withoutLocks(p, event);
      return sameExtras(extras, p.extras) ? 'stay' : move<S>({ ...p, extras });
    }
    case 'clock':
      return leftAlone(t, p, now);
    default:
      return whenRefunding(t, p, event);
  }
}

/**
 * The depositor wants a lock back before its timelock: our consent is made with the transaction, after this commit, and
 * never taken back.
 */
function refundRequested<S extends Over>(
  t: T,
  p: S,
  { key, depositor, signature }: EventOf<'evm-refund.requested'>,
  now: Clocks,
): Outcome<S> {
  const extra = p.extras.find(isKey(key));
  if (extra === undefined || extra.taken || isRefunding(p, key)) return 'stay';
  const counter = counterOf(t, p, extra);
  if (p[counter] >= mostRefunds) return 'stay';
  if (!sameBytes(extra.lock.refundAddress, t.contracts.coordinator)) return 'stay';
  const effect: Effect = {
    do: 'evm.send',
    network: t.network,
    contracts: t.contracts,
    act: { is: 'relay-refund', lock: extra.lock, depositor, signature },
    deadline: null,
    value: t.sourceAmount,
  };
  const { refunds, refundsOfOthers } = p;
  const refunding: Left = {
    ...nothingAsked,
    askedUntil: after(now.wall, refundPatience),
    refund: { key, txid: null },
    ...{ refunds, refundsOfOthers, [counter]: p[counter] + 1 },
  };
  return move<S>({ ...p, ...refunding }, effect);
}

function counterOf(t: T, p: Counted, extra: ExtraLock): 'refunds' | 'refundsOfOthers' {
  return isClients(t, p, extra) ? 'refunds' : 'refundsOfOthers';
}

/**
 * What one RPC calls given back already cost nothing, and is asked for again where that is not so (facts/faults.md 84).
 */
function uncounted(t: T, p: Over): Partial<Left> {
  const extra = p.refund === null ? undefined : p.extras.find(isKey(p.refund.key));
  if (extra === undefined) return {};
  const counter = counterOf(t, p, extra);
  return { [counter]: Math.max(0, p[counter] - 1) };
}

/** How long a refund that was asked for is looked after at least. */
const refundPatience = hour;

/**
 * A refund of ours is being signed, or is on its way to this lock. One that is on its way to another lock is waited for
 * by nobody.
 */
function isRefunding({ refund, extras }: Over, key: Uint8Array): boolean {
  if (refund === null || (refund.txid !== null && !sameBytes(refund.key, key))) return false;
  return extras.some((extra) => !extra.taken && sameBytes(extra.key, refund.key));
}

/** What was begun for another lock answers all the same, and says nothing of this one (facts/faults.md 306). */
function answersRefund(
  refund: Left['refund'],
  { purpose, lock }: EventOf<'evm.prepared' | 'evm.refused' | 'evm.already-done'>,
): boolean {
  if (refund === null || refund.txid !== null || purpose !== 'relay-refund') return false;
  return lock === undefined || sameBytes(lock, refund.key);
}

/** What becomes of the transactions that a swap had on their way when it ended, and of the refunds that it relays. */
function whenRefunding<S extends Over>(t: T, p: S, event: Event): Outcome<S> {
  switch (event.is) {
    case 'evm.prepared':
      return p.refund !== null && answersRefund(p.refund, event)
        ? move<S>({ ...p, refund: { ...p.refund, txid: event.txid }, sent: sending(p, event.purpose, event.txid) })
        : 'stay';
    case 'evm.refused':
      return answersRefund(p.refund, event) ? move<S>({ ...p, refund: null, refusal: event.reason }) : 'stay';
    case 'evm.already-done':
      return answersRefund(p.refund, event)
        ? move<S>({ ...p, ...uncounted(t, p), refund: null, refusal: 'the lock was given back already' })
        : 'stay';
    case 'evm.sent': {
      const end = endOf(p, event);
      if (end === null) return noted(p, event);
      const { sent, by, txid } = end;
      if (p.refund === null || p.refund.txid !== txid) return move<S>({ ...p, sent });
      return move<S>(
        by === null
          ? { ...p, sent, refund: null, refusal: 'the refund failed on the chain' }
          : { ...p, sent, refund: { ...p.refund, txid: by } },
      );
    }
    default:
      return 'stay';
  }
}

/**
 * A lock that its owner never takes would be watched for ever: a day after the client can help itself the watch ends.
 * Our consent to its refund is still to be had.
 */
function leftAlone<S extends Over>(t: T, p: S, now: Clocks): Outcome<S> {
  return hasUntaken(p.extras) && !p.unwatched && timeOf(t, now) > leftAloneAt(t, p)
    ? move<S>({ ...p, unwatched: true })
    : 'stay';
}

function leftAloneAt(t: T, { askedUntil }: Left): Unix {
  const alone = after(lockEnd(t), day);
  return askedUntil !== null && askedUntil > alone ? askedUntil : alone;
}

/** When time alone moves a state of whose locks only extras are left; null when none can. */
export function locksDeadline(t: T, p: Over & { readonly at: string }): Locktime | null {
  const isOpen = hasUntaken(p.extras);
  return leftDeadline(p, { isEmpty: !isOpen, isOpen, alone: lockEnd(t), until: leftAloneAt(t, p) });
}

/** Whether a lock that its owner may still take is looked after, or a transaction of ours. */
export function leftOpen(p: Over): boolean {
  return p.sent.length > 0 || (hasUntaken(p.extras) && !p.unwatched);
}
