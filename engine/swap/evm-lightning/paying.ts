import { btc } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { safeToPayForLock } from '../../legs/safety.ts';
import { claimEffect, missing, present, type Ends } from '../evm-source/claiming.ts';
import { fundRequested, tooLate, whenLooked, whenRelayed } from '../evm-source/funding.ts';
import { endOf } from '../evm-source/sent.ts';
import {
  depositedOf,
  isKey,
  nothingAsked,
  ownLocks,
  stopped,
  timelockOf,
  timeOf,
  type Deposit,
  type Deposited,
  type Pending,
  type Seen,
} from '../evm-source/terms.ts';
import { move, type Effect, type Event, type Outcome } from '../machine.ts';
import { paymentStep, routingCost } from '../payment.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

type P = EvmLightningProgress;
type T = EvmLightningTerms;

/** Waiting for the client's lock; pays against the right one as soon as it is buried and safe to pay against. */
export function whileFunding(t: T, p: Pending | Seen, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'evm.seen':
      return whenSeen(t, p, event, now);
    case 'fund.requested':
      return p.at === 'pending' ? fundRequested(t, p, event, now) : 'stay';
    case 'clock':
      return p.at === 'seen' && timeOf(t, now) > t.payBefore
        ? move<P>(stopped('late', tooLate, p, ownLocks(p)))
        : 'stay';
    default:
      return whenRelayed<Pending | Seen>(t, p, event, now);
  }
}

function whenSeen(t: T, p: Pending | Seen, event: Event & { is: 'evm.seen' }, now: Clocks): Outcome<P> {
  const look = whenLooked(t, p, event, now);
  if (look.is === 'nothing') return 'stay';
  if (look.is === 'moved') return move<P>(look.progress);
  const { lock, progress: seen } = look;
  const unsafe = safeToPayForLock(
    {
      network: t.network,
      depth: lock.confirmations,
      confirmations: t.confirmations,
      refundLocktime: timelockOf(t),
      maxTimeoutHeight: t.maxTimeoutHeight,
      finalCltv: t.finalCltv,
      invoiceExpiresAt: t.invoiceExpiresAt,
    },
    now,
    t.policy,
  );
  if (unsafe === null) return move<P>({ at: 'funded', ...depositedOf(seen) }, payEffect(t, seen.deposit));
  if (unsafe.unsafe === 'never') return move<P>(stopped('late', unsafe.sentence, seen, ownLocks(seen)));
  return p.at === 'seen' ? 'stay' : move<P>(seen);
}

function payEffect(t: T, { lock, txid }: Deposit): Effect {
  return {
    do: 'pay',
    payment: {
      bolt11: t.bolt11,
      hash: t.hash,
      amount: t.targetAmount,
      maxFeeMsat: t.maxFeeMsat,
      maxTimeoutHeight: t.maxTimeoutHeight,
    },
    onlyIf: {
      notAfter: t.payBefore,
      deposit: {
        network: t.network,
        htlc: t.contracts.htlc,
        lock,
        txid,
        confirmations: t.confirmations,
        agreed: t.agreed,
        finalCltv: t.finalCltv,
        invoiceExpiresAt: t.invoiceExpiresAt,
        policy: t.policy,
      },
    },
  };
}

/** Paying or about to pay: the payment's fate alone decides, whatever becomes of the lock. */
export function whilePaying(t: T, p: P & { at: 'funded' | 'paying' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'evm.seen') return stillThere(t, p, event);
  if (event.is === 'evm.sent') {
    const end = endOf(t, p, event);
    return end === null ? 'stay' : { progress: { ...p, sent: end.sent }, effects: [], ledger: end.ledger };
  }
  const step = paymentStep(t, p, event, now);
  if (step === 'stay') return 'stay';
  switch (step.is) {
    case 'begun':
      return move<P>({ at: 'paying', ...depositedOf(p), ...step.late });
    case 'failed':
      return move<P>({ ...stopped('wont', step.reason, p, ownLocks(p)), ...step.late });
    case 'settled':
      return {
        progress: { at: 'claiming', claimTxid: null, ...depositedOf(p) },
        effects: [claimEffect(t, p)],
        learned: step.preimage,
        ledger: [routingCost(step)],
      };
  }
}

function stillThere<S extends P & Deposited>(t: T, p: S, event: Event & { is: 'evm.seen' }): Outcome<S> {
  return event.locks.some(isKey(p.deposit.key)) ? present(t, p, event) : missing(t, p, event);
}

/** The payment settled, and its preimage takes the lock. */
export const ends = (t: T): Ends<P> => ({
  claimed: (p, claimTxid) => ({ at: 'claimed', claimTxid, ...depositedOf(p), ...nothingAsked }),
  lost: (p) => ({
    progress: { at: 'lost', ...depositedOf(p), ...nothingAsked },
    effects: [],
    supersedes: true,
    ledger: [{ kind: 'loss', ...btc('lightning', -t.targetAmount) }],
    flag: 'The client took its lock back although the payment had settled.',
  }),
});
