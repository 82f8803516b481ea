import { btc } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { safeToPay } from '../../legs/safety/pay.ts';
import { move, type Effect, type Event, type Outcome } from '../machine.ts';
import { paymentStep, routingCost } from '../payment.ts';
import { claimEffect, type Ends } from '../vhtlc-source/claiming.ts';
import { fundingSeen } from '../vhtlc-source/funding.ts';
import { fundedOf, ownCoins, withStrays, type Claiming, type Funded, type Pending } from '../vhtlc-source/terms.ts';
import { stop, type ArkadeLightningProgress, type ArkadeLightningTerms } from './terms.ts';

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
  if (event.is === 'vhtlc.seen') {
    const next = withStrays(p, event);
    return next === p ? 'stay' : move<P>(next);
  }
  const step = paymentStep(t, p, event, now);
  if (step === 'stay') return 'stay';
  switch (step.is) {
    case 'begun':
      return move<P>({ at: 'paying', ...fundedOf(p), ...step.late });
    case 'failed':
      return stop('wont', step.reason, ownCoins(t, p), step.late);
    case 'settled':
      return {
        progress: { at: 'claiming', claimTxid: null, ...fundedOf(p) },
        effects: [claimEffect(t, p)],
        learned: step.preimage,
        ledger: [routingCost(step)],
      };
  }
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
