import { msat, type Sats } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { safeToPay } from '../../legs/safety.ts';
import { accept } from '../../legs/arkade/acceptance.ts';
import { move, type Effect, type Event, type Outcome } from '../machine.ts';
import { straysBeside, type Stray } from '../source.ts';
import { claimEffect } from './claiming.ts';
import { timedOut } from './over.ts';
import {
  fundedOf,
  lateOf,
  stop,
  withStrays,
  type ArkadeLightningProgress,
  type ArkadeLightningTerms,
  type Funded,
  type Late,
} from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

/** Waiting for the client's coin; takes the first that is right and safe to pay against. */
export function whenPending(t: T, p: P & { at: 'pending' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'refund.cosign.requested') return move<P>(p.fenced ? p : { at: 'pending', fenced: true });
  if (event.is !== 'vhtlc.seen') return 'stay';
  // Only a look says that nothing came, no clock: published clients never look again at a swap that is called expired.
  if (event.coins.length === 0)
    return (event.asked ?? now.wall) >= t.fundBefore
      ? stop('expired', 'nothing was funded in time', p.fenced, [])
      : 'stay';
  const strays = straysBeside(event.coins, null, []);
  if (p.fenced) return stop('late', 'the coin came after we had signed a refund', true, strays);
  if (now.wall >= t.fundBefore || now.wall >= t.payBefore)
    return stop('late', 'the coin came after the funding window', false, strays);
  const verdict = accept({
    amount: t.sourceAmount,
    toleranceBps: t.toleranceBps,
    minExpiry: t.minCoinExpiry,
    coins: event.coins,
    now,
  });
  switch (verdict.is) {
    case 'none':
      return 'stay';
    case 'accepted': {
      const unsafe = safeToPay({ coin: verdict.coin, ...paymentFacts(t) }, now, t.policy);
      if (unsafe !== null) return unsafe.unsafe === 'wait' ? 'stay' : stop('late', unsafe.sentence, false, strays);
      const funded: Funded = {
        coin: verdict.coin.outpoint,
        surplus: verdict.surplus,
        strays: straysBeside(event.coins, verdict.coin.outpoint, []),
      };
      return move<P>({ at: 'funded', ...funded }, payEffect(t, funded));
    }
    case 'invalid':
      return stop('invalid', verdict.reason, false, strays);
  }
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
      return p.at === 'funded' ? stop('wont', event.reason, false, ownCoins(t, p), doubt(event)) : 'stay';
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
      return stop('wont', event.state.reason, false, ownCoins(t, p), p.at === 'paying' ? lateOf(p) : doubt(event));
    case 'in-flight':
      return p.at === 'funded' ? move<P>({ at: 'paying', ...fundedOf(p), ...doubt(event) }) : 'stay';
    case 'absent':
      // A node that forgot a payment does not prove that it failed: only the end of every possible HTLC does (facts/faults.md 23).
      return p.at === 'paying' && timedOut(t, now)
        ? stop('wont', 'the Lightning node lost the payment and every HTLC of it has timed out', false, ownCoins(t, p))
        : 'stay';
  }
}

function doubt({ unsure }: { readonly unsure?: true }): Late {
  return unsure === true ? { late: 'maybe' } : {};
}

function ownCoins(t: T, p: Funded): Stray[] {
  return [{ outpoint: p.coin, amount: (t.sourceAmount + p.surplus) as Sats, spent: false }, ...p.strays];
}
