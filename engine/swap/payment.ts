import { msat } from '../domain/money.ts';
import type { Preimage } from '../domain/hash.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { Clocks } from '../domain/time.ts';
import type { PaymentState } from '../legs/lightning/port.ts';
import { blocksAfterTimeout } from '../legs/timelocks.ts';
import { move, type Event, type LedgerLine, type Outcome } from './machine.ts';

/*
 * The half of a swap that ends with a Lightning payment of ours: what its events come to, whatever the client gave for it.
 */

/**
 * `maybe`: a call that starts the payment got no answer and may still arrive, whatever became of the others. `in-flight`:
 * it did, after the swap was called off.
 */
export interface Late {
  readonly late?: 'maybe' | 'in-flight';
}

export function lateOf({ late }: Late): Late {
  return late === undefined ? {} : { late };
}

/** Called off, and its payment may still come. */
export function isLate(p: { readonly at: string } & Late): boolean {
  return (p.at === 'stopped' || p.at === 'refunded') && p.late !== undefined;
}

/** What clients are told of a swap that pays over Lightning; why it was stopped is told by `stoppedStatuses`. */
export const payoutStatuses = {
  pending: 'pending',
  funded: 'clientfunded',
  paying: 'serverfunded',
  claiming: 'clientredeemed',
  claimed: 'serverredeemed',
  lost: 'clientredeemedandclientrefunded',
  lapsed: 'expired',
  refunded: 'clientrefunded',
} as const satisfies Record<string, SwapStatus>;

/** The payment's secret, and what its route cost. */
export interface Settled {
  readonly is: 'settled';
  readonly preimage: Preimage;
  readonly feeMsat: bigint;
}

/** What an event comes to while the payment is about to start, or is on its way: its fate alone decides. */
export type PaymentStep =
  | 'stay'
  /** The Lightning node carries it. */
  | { readonly is: 'begun'; readonly late: Late }
  /** It will not happen, but for what `late` says. */
  | { readonly is: 'failed'; readonly reason: string; readonly late: Late }
  | Settled;

interface PaymentTerms {
  /** Height given to the Lightning node as the end of every HTLC of the payment. */
  readonly maxTimeoutHeight: number;
}

export function paymentStep(
  t: PaymentTerms,
  p: { readonly at: 'funded' | 'paying' } & Late,
  event: Event,
  now: Clocks,
): PaymentStep {
  switch (event.is) {
    case 'payment.started':
      return p.at === 'funded' ? { is: 'begun', late: doubt(event) } : 'stay';
    case 'payment.refused':
      // Once the node carries it, only the payment's own state says that it failed.
      return p.at === 'funded' ? { is: 'failed', reason: event.reason, late: doubt(event) } : 'stay';
    case 'payment.seen':
      return whenSeen(t, p, event, now);
    default:
      return 'stay';
  }
}

function whenSeen(
  t: PaymentTerms,
  p: { readonly at: 'funded' | 'paying' } & Late,
  event: Event & { is: 'payment.seen' },
  now: Clocks,
): PaymentStep {
  const { state } = event;
  switch (state.is) {
    case 'settled':
      return state;
    case 'failed':
      return { is: 'failed', reason: state.reason, late: p.at === 'paying' ? lateOf(p) : doubt(event) };
    case 'in-flight':
      return p.at === 'funded' ? { is: 'begun', late: doubt(event) } : 'stay';
    case 'absent':
      // A node that forgot a payment does not prove that it failed: only the end of every possible HTLC does (facts/faults.md 23).
      return p.at === 'paying' && timedOut(t, now)
        ? {
            is: 'failed',
            reason: 'the Lightning node lost the payment and every HTLC of it has timed out',
            late: {},
          }
        : 'stay';
  }
}

function doubt({ unsure }: { readonly unsure?: true }): Late {
  return unsure === true ? { late: 'maybe' } : {};
}

/** No HTLC of the payment can be left, nor any block that resolves one be missing. */
function timedOut({ maxTimeoutHeight }: PaymentTerms, now: Clocks): boolean {
  return now.bitcoin.height !== null && now.bitcoin.height > maxTimeoutHeight + blocksAfterTimeout;
}

/**
 * The swap was called off, and a call that got no answer may start its payment all the same: watched until no HTLC of it
 * can be left (facts/faults.md 55). What it means that it settled after all, the direction says.
 */
export function whenLate<S extends Late, P>(
  t: PaymentTerms,
  p: S,
  { state, now }: { readonly state: PaymentState; readonly now: Clocks },
  settles: (settled: Settled) => Outcome<P>,
): Outcome<S | P> {
  if (state.is === 'settled') return settles(state);
  const news = lateNews(t, p, state, now);
  if (news === null) return 'stay';
  const { late: _, ...rest } = p;
  return move<S>({ ...rest, ...news } as unknown as S);
}

/** Null where nothing changes. */
function lateNews(
  t: PaymentTerms,
  { late }: Late,
  state: Exclude<PaymentState, { is: 'settled' }>,
  now: Clocks,
): Late | null {
  if (late === undefined) return null;
  if (state.is === 'in-flight') return late === 'in-flight' ? null : { late: 'in-flight' };
  if (timedOut(t, now)) return {};
  return state.is === 'failed' && late === 'in-flight' ? { late: 'maybe' } : null;
}

/** What the route of a settled payment took. */
export function routingCost({ feeMsat }: Settled): LedgerLine {
  return { kind: 'lightning-fee-paid', ...msat('lightning', -feeMsat) };
}
