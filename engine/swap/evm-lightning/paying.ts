import { btc } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { safeToPayForLock } from '../../legs/safety/pay.ts';
import { claimEffect, whenBacking, type Ends } from '../evm-source/claiming.ts';
import { whileWaiting } from '../evm-source/funding.ts';
import {
  depositedOf,
  givenBack,
  nothingAsked,
  timelockOf,
  type Claiming,
  type Deposit,
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
  return whileWaiting<P>(t, p, event, now, {
    judge: ({ confirmations: depth }) =>
      safeToPayForLock(
        {
          network: t.network,
          depth,
          confirmations: t.confirmations,
          refundLocktime: timelockOf(t),
          maxTimeoutHeight: t.maxTimeoutHeight,
          finalCltv: t.finalCltv,
          invoiceExpiresAt: t.invoiceExpiresAt,
        },
        now,
        t.policy,
      ),
    begin: (seen) => move<P>({ at: 'funded', ...depositedOf(seen) }, payEffect(t, seen.deposit)),
  });
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
  if (event.is === 'evm.seen' || event.is === 'evm.sent') return whenBacking(t, p, event);
  const step = paymentStep(t, p, event, now);
  if (step === 'stay') return 'stay';
  switch (step.is) {
    case 'begun':
      return move<P>({ at: 'paying', ...depositedOf(p), ...step.late });
    case 'failed':
      return move<P>({ ...givenBack('wont', step.reason, p), ...step.late });
    case 'settled':
      return {
        progress: { at: 'claiming', claimTxid: null, ...depositedOf(p) },
        effects: [claimEffect(t, p)],
        learned: step.preimage,
        ledger: [routingCost(step)],
      };
  }
}

/** The payment settled, and its preimage takes the lock. */
export const ends = (t: T): Ends<Claiming, P> => ({
  claimed: (p, claimTxid) => ({ at: 'claimed', claimTxid, ...depositedOf(p), ...nothingAsked }),
  lost: (p) => ({
    progress: { at: 'lost', ...depositedOf(p), ...nothingAsked },
    effects: [],
    supersedes: true,
    ledger: [{ kind: 'loss', ...btc('lightning', -t.targetAmount) }],
    flag: 'The client took its lock back although the payment had settled.',
  }),
});
