import { btc, msat } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { safeToPay } from '../../legs/safety.ts';
import { move, type Effect, type Event, type Outcome } from '../machine.ts';
import { claimEffect, type Ends } from '../vhtlc-source/claiming.ts';
import { fundingSeen } from '../vhtlc-source/funding.ts';
import { fundedOf, ownCoins, withStrays, type Claiming, type Funded, type Pending } from '../vhtlc-source/terms.ts';
import { timedOut } from './over.ts';
import { lateOf, stop, type ArkadeLightningProgress, type ArkadeLightningTerms, type Late } from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

/** Waiting for the client's coin; takes the first that is right and safe to pay against. */
export function whenPending(t: T, p: Pending, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'refund.cosign.requested') return move<P>(p.fenced ? p : { at: 'pending', fenced: true });
  if (event.is !== 'vhtlc.seen') return 'stay';
  const seen = fundingSeen(t, p, event, now);
  if (seen.is === 'nothing') return 'stay';
  if (seen.is === 'stopped') return move<P>(seen.progress);
  const { coin, funded } = seen;
  const unsafe = safeToPay({ coin, ...paymentFacts(t) }, now, t.policy);
  if (unsafe === null) return move<P>({ at: 'funded', ...funded }, payEffect(t, funded));
  return unsafe.unsafe === 'wait' ? 'stay' : stop('late', unsafe.sentence, ownCoins(t, funded));
}

function paymentFacts(t: T) {
  return {
    sourceAmount: t.sourceAmount,
    refundLocktime: t.vhtlc.refundLocktime,
    maxTimeoutHeight: t.maxTimeoutHeight,
    finalCltv: t.finalCltv,
    invoiceExpiresAt: t.invoiceExpiresAt,
  };
}

function payEffect(t: T, p: Funded): Effect {
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
      coin: {
        script: t.script,
        outpoint: p.coin,
        sourceAmount: t.sourceAmount,
        refundLocktime: t.vhtlc.refundLocktime,
        finalCltv: t.finalCltv,
        invoiceExpiresAt: t.invoiceExpiresAt,
        policy: t.policy,
      },
    },
  };
}

/** Paying or about to pay: the payment's fate alone decides, whatever becomes of the coin. */
export function whilePaying(t: T, p: P & { at: 'funded' | 'paying' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'payment.started':
      return p.at === 'funded' ? move<P>({ at: 'paying', ...fundedOf(p), ...doubt(event) }) : 'stay';
    case 'payment.refused':
      // Once the node carries it, only the payment's own state says that it failed.
      return p.at === 'funded' ? stop('wont', event.reason, ownCoins(t, p), doubt(event)) : 'stay';
    case 'payment.seen':
      return whenPaymentSeen(t, p, event, now);
    case 'vhtlc.seen': {
      const next = withStrays(p, event);
      return next === p ? 'stay' : move<P>(next);
    }
    default:
      return 'stay';
  }
}

function whenPaymentSeen(
  t: T,
  p: P & { at: 'funded' | 'paying' },
  event: Event & { is: 'payment.seen' },
  now: Clocks,
): Outcome<P> {
  switch (event.state.is) {
    case 'settled':
      return {
        progress: { at: 'claiming', claimTxid: null, ...fundedOf(p) },
        effects: [claimEffect(t, p)],
        learned: event.state.preimage,
        ledger: [{ kind: 'lightning-fee-paid', ...msat('lightning', -event.state.feeMsat) }],
      };
    case 'failed':
      return stop('wont', event.state.reason, ownCoins(t, p), p.at === 'paying' ? lateOf(p) : doubt(event));
    case 'in-flight':
      return p.at === 'funded' ? move<P>({ at: 'paying', ...fundedOf(p), ...doubt(event) }) : 'stay';
    case 'absent':
      // A node that forgot a payment does not prove that it failed: only the end of every possible HTLC does (facts/faults.md 23).
      return p.at === 'paying' && timedOut(t, now)
        ? stop('wont', 'the Lightning node lost the payment and every HTLC of it has timed out', ownCoins(t, p))
        : 'stay';
  }
}

function doubt({ unsure }: { readonly unsure?: true }): Late {
  return unsure === true ? { late: 'maybe' } : {};
}

/** The payment settled, and its preimage takes the coin. */
export const ends = (t: T): Ends<Claiming, P> => ({
  claimed: (p, claimTxid) => ({ at: 'claimed', claimTxid, ...fundedOf(p) }),
  lost: (p) => ({
    progress: { at: 'lost', ...fundedOf(p) },
    effects: [],
    supersedes: true,
    ledger: [{ kind: 'loss', ...btc('arkade', -t.targetAmount) }],
    flag: 'The client took the VHTLC back although the payment had settled.',
  }),
});
