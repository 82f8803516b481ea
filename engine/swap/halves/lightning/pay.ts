import { z } from 'zod';
import type { Sha256 } from '../../../domain/hash.ts';
import { msat } from '../../../domain/money.ts';
import type { Clocks } from '../../../domain/time.ts';
import type { OnlyIf } from '../../../legs/only-if.ts';
import type { PaymentState } from '../../../legs/lightning/port.ts';
import { sats, sha256, unix, type ValueOf } from '../../../legs/shape.ts';
import { paymentTimedOut } from '../../../legs/timelocks.ts';
import type { Answer, News } from '../answer.ts';
import type { DoubtFact, FundFact, FundHalf } from '../fund.ts';
import { move, type Effect, type LedgerLine, type EventOf } from '../../machine.ts';
import { lossOf } from '../../ledger.ts';

/*
 * The half of a swap that ends with a Lightning payment of ours: what its events come to, whatever the client gave for
 * it.
 *
 * Loses money when wrong: a payment called failed that may still settle.
 */
export const payTerms = {
  /** The invoice's payment hash. */
  hash: sha256,
  /** What the invoice pays. */
  targetAmount: sats,
  /** Empty while it is not named: nothing is paid. */
  bolt11: z.string(),
  invoiceExpiresAt: unix,
  /** Most that routing may cost: fee and network fee of the swap, never on top of them. */
  maxFeeMsat: z.bigint(),
  /** Height given to the Lightning node as the end of every HTLC of the payment. */
  maxTimeoutHeight: z.number(),
  finalCltv: z.number(),
  /** No payment is started after this moment; whether it is safe is judged by the chains' clocks. */
  payBefore: unix,
};
export type PayTerms = ValueOf<typeof payTerms>;

/** What a payment must still have time for. */
export function payTime({ finalCltv, invoiceExpiresAt }: PayTerms) {
  return { finalCltv, invoiceExpiresAt };
}

/**
 * `maybe`: a call that starts the payment got no answer and may still arrive, whatever became of the others.
 * `in-flight`: it did, after the swap was called off.
 */
const late = z.enum(['maybe', 'in-flight']);
type Late = z.infer<typeof late>;

/** Stored fields of each state. */
const payment = {
  standing: { funded: {}, paying: { late: late.exactOptional() } },
  revealed: {},
  returned: {},
  doubt: { late },
} as const;

/** The states of a payment. */
export interface Payment {
  readonly standing: { readonly at: 'funded' | 'paying'; readonly late?: Late };
  readonly revealed: object;
  readonly returned: object;
  readonly doubt: { readonly late: Late };
}

type Fact = News<FundFact<Payment>>;

/** Asks for the payment. */
function payEffect(t: PayTerms, onlyIf: OnlyIf): Effect {
  const { bolt11, hash, targetAmount: amount, maxFeeMsat, maxTimeoutHeight } = t;
  return { do: 'pay', payment: { bolt11, hash, amount, maxFeeMsat, maxTimeoutHeight }, onlyIf };
}

/** The payment's fate alone decides. */
export const pay: FundHalf<PayTerms, Payment> = {
  leg: 'lightning',
  fields: payment,
  standing(t, p, event, now) {
    switch (event.is) {
      case 'payment.started':
        return p.at === 'funded' ? begun(event) : 'stay';
      case 'payment.refused':
        // Once the node carries it, only the payment's own state says that it failed.
        return p.at === 'funded' ? failed(event.reason, lateBy(event)) : 'stay';
      case 'payment.seen':
        return whenSeen(t, p, event, now);
      default:
        return null;
    }
  },
  // Once the node carries it, only the payment's own state decides.
  resume: (t, { at }, { onlyIf }) => (at === 'funded' ? [payEffect(t, onlyIf)] : []),
  revealed: () => null,
  resumeRevealed: () => [],
  kept: () => ({}),
  onceClaimed: () => ({}),
  lost: (t, _, took) => ({
    fact: 'lost',
    revealed: {},
    along: { supersedes: true, ledger: [lossOf('lightning', t)], flag: `${took} although the payment had settled.` },
  }),
  loss: (t) => lossOf('lightning', t),
  begin: payEffect,
  isPaidBack: () => false,
  afterReturn: () => null,
  rescueBack: () => null,
  resend: () => null,
  doubted: (t, p, event, now) => (event.is === 'payment.seen' ? whenLate(t, p?.late ?? null, event.state, now) : null),
  forbidsRefund: (p) => p.late === 'in-flight',
  isPayment: true,
  outlasts: true,
  // Until the payment was started the node knows nothing of its hash; the effect that starts it asks by itself.
  watches: ({ hash }, { at }) =>
    at === 'funded' || at === 'claiming' || at === 'claimed' || at === 'lost' ? [] : [{ on: 'payment', hash }],
  deadline: () => null,
  open: () => false,
  reserves: ({ at }) => at === 'funded',
  action: ({ at }) => (at === 'funded' ? 'we pay the invoice' : 'the Lightning network carries the payment'),
  afterwards: () => null,
  rescue: ({ hash }) => ({ on: 'lightning', hash }),
};

/** The Lightning node carries it. */
function begun(event: { readonly unsure?: true }): Fact {
  const doubt = lateBy(event);
  return { fact: 'next', next: { at: 'paying', ...(doubt === null ? {} : { late: doubt }) } };
}

/** It will not happen, but for what `doubt` says. */
function failed(reason: string, doubt: Late | null): Fact {
  return { fact: 'declined', why: 'wont', reason, doubt: doubt === null ? null : { late: doubt } };
}

function whenSeen(t: PayTerms, p: Payment['standing'], event: EventOf<'payment.seen'>, now: Clocks): Fact | 'stay' {
  const { state } = event;
  switch (state.is) {
    case 'settled':
      return {
        fact: 'revealed',
        revealed: {},
        // What is settled is begun by nobody any more.
        along: { supersedes: true, learned: state.preimage, ledger: [routingCost(state)] },
      };
    case 'failed':
      return failed(state.reason, p.at === 'paying' ? (p.late ?? null) : lateBy(event));
    case 'in-flight':
      return p.at === 'funded' ? begun(event) : 'stay';
    case 'absent':
      // A node that forgot a payment does not prove that it failed: only the end of every possible HTLC does
      // (facts/faults.md 23).
      return p.at === 'paying' && paymentTimedOut(t, now)
        ? failed('the Lightning node lost the payment and every HTLC of it has timed out', null)
        : 'stay';
  }
}

function lateBy({ unsure }: { readonly unsure?: true }): Late | null {
  return unsure === true ? 'maybe' : null;
}

/**
 * The swap was called off, and a call that got no answer may start its payment all the same: watched until no HTLC of
 * it can be left (facts/faults.md 55).
 */
function whenLate(
  t: PayTerms,
  before: Late | null,
  state: PaymentState,
  now: Clocks,
): Answer<Payment['doubt'], DoubtFact<Payment>> {
  if (state.is === 'settled')
    return {
      fact: 'revealed',
      revealed: {},
      along: {
        learned: state.preimage,
        ledger: [routingCost(state)],
        flag: 'A payment that had failed settled after all.',
      },
    };
  if (before === null) return 'stay';
  if (state.is === 'in-flight') return before === 'in-flight' ? 'stay' : move<Payment['doubt']>({ late: 'in-flight' });
  if (paymentTimedOut(t, now)) return { fact: 'settled' };
  return state.is === 'failed' && before === 'in-flight' ? move<Payment['doubt']>({ late: 'maybe' }) : 'stay';
}

/** What the route of a settled payment took. */
function routingCost({ feeMsat }: { readonly feeMsat: bigint }): LedgerLine {
  return { kind: 'lightning-fee-paid', ...msat('lightning', -feeMsat) };
}

/** The payment that may come of a swap that was called off, or is about to be; null where none can. */
export function latePayment(
  t: PayTerms,
  p: { readonly at: string; readonly late?: Late; readonly doubt?: object },
): Sha256 | null {
  return p.late === undefined && p.doubt === undefined ? null : t.hash;
}
