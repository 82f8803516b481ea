import type { LightningWorld } from '../../world/lightning/lightning.ts';
import { invoiceFeatures } from '../../world/lightning/bolt11.ts';
import { channelCapacityMsat } from '../../world/lightning/network.ts';
import type { Invoice, InvoiceState, Payment, PaymentFailure, PaymentPart } from '../../world/lightning/records.ts';
import { mostParts } from '../../world/lightning/split.ts';
import { type Message, bytesOf } from './calls.ts';

/** Short channel ids: the node's channel with the hub and the hub's with the outside wallet. */
export const channels = { node: channelId(101, 1, 0), outside: channelId(101, 2, 0) };
const capacitySats = (channelCapacityMsat / 1000n).toString();

function channelId(block: number, transaction: number, output: number): string {
  return ((BigInt(block) << 40n) | (BigInt(transaction) << 16n) | BigInt(output)).toString();
}

const invoiceStates: Record<InvoiceState, string> = {
  open: 'OPEN',
  accepted: 'ACCEPTED',
  settled: 'SETTLED',
  cancelled: 'CANCELED',
};
const htlcStates: Record<InvoiceState, string> = {
  open: 'ACCEPTED',
  accepted: 'ACCEPTED',
  settled: 'SETTLED',
  cancelled: 'CANCELED',
};

export function invoiceMessage(invoice: Invoice): Message {
  const { htlcs, state } = invoice;
  const total = htlcs.reduce((sum, htlc) => sum + htlc.amountMsat, 0n);
  const paid = state === 'settled' ? total : 0n;
  const revealed = !invoice.hold || state === 'settled';
  return {
    memo: invoice.memo,
    r_preimage: bytesOf(revealed ? invoice.preimage : null),
    r_hash: bytesOf(invoice.hash),
    value: satsOf(invoice.amountMsat ?? 0n),
    value_msat: (invoice.amountMsat ?? 0n).toString(),
    settled: state === 'settled',
    creation_date: invoice.createdAt,
    settle_date: state === 'settled' ? (htlcs[0]?.resolvedAt ?? 0) : 0,
    payment_request: invoice.bolt11,
    description_hash: bytesOf(invoice.descriptionHash),
    expiry: invoice.expiresAt - invoice.createdAt,
    cltv_expiry: invoice.cltvDelta,
    add_index: invoice.addIndex,
    settle_index: invoice.settleIndex,
    amt_paid: paid.toString(),
    amt_paid_sat: satsOf(paid),
    amt_paid_msat: paid.toString(),
    state: invoiceStates[state],
    htlcs: htlcs.map((htlc, i) => ({
      chan_id: channels.node,
      htlc_index: invoice.addIndex * mostParts + i,
      amt_msat: htlc.amountMsat.toString(),
      accept_height: htlc.acceptHeight,
      accept_time: htlc.acceptedAt,
      resolve_time: htlc.resolvedAt ?? 0,
      expiry_height: htlc.expiryHeight,
      state: htlcStates[state],
      mpp_total_amt_msat: (invoice.amountMsat ?? total).toString(),
    })),
    features: featureMap(),
    payment_addr: bytesOf(invoice.paymentSecret),
  };
}

export function featureMap(): Message {
  const names: Record<number, string> = { 8: 'tlv-onion', 14: 'payment-addr', 17: 'multi-path-payments' };
  return Object.fromEntries(
    invoiceFeatures.map((bit) => [bit, { name: names[bit] ?? '', is_required: bit % 2 === 0, is_known: true }]),
  );
}

const failureReasons: Record<PaymentFailure, string> = {
  'no-route': 'FAILURE_REASON_NO_ROUTE',
  'insufficient-balance': 'FAILURE_REASON_INSUFFICIENT_BALANCE',
  'incorrect-details': 'FAILURE_REASON_INCORRECT_PAYMENT_DETAILS',
};
const failureCodes: Record<PaymentFailure, string> = {
  'no-route': 'TEMPORARY_CHANNEL_FAILURE',
  'insufficient-balance': 'PERMANENT_CHANNEL_FAILURE',
  'incorrect-details': 'INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS',
};
const statuses = { 'in-flight': 'IN_FLIGHT', settled: 'SUCCEEDED', failed: 'FAILED' } as const;
const noPreimage = '00'.repeat(32);

export function paymentMessage(world: LightningWorld, payment: Payment): Message {
  const fee = payment.outcome === 'settled' ? payment.feeMsat : 0n;
  const attempt = (part: PaymentPart, i: number): Message => ({
    attempt_id: payment.index * mostParts + i,
    status: statuses[payment.outcome],
    route: routeMessage(world, { ...payment, ...part, totalMsat: payment.amountMsat }),
    attempt_time_ns: nanoseconds(payment.createdAt),
    resolve_time_ns: nanoseconds(payment.resolvedAt ?? 0),
    ...(payment.failure === null
      ? {}
      : {
          failure: {
            code: failureCodes[payment.failure],
            failure_source_index: payment.failure === 'incorrect-details' ? 2 : 1,
            height: world.clock.height(),
          },
        }),
    preimage: bytesOf(payment.preimage),
  });
  return {
    payment_hash: payment.hash,
    value: satsOf(payment.amountMsat),
    creation_date: payment.createdAt,
    fee: satsOf(fee),
    payment_preimage: payment.preimage ?? noPreimage,
    value_sat: satsOf(payment.amountMsat),
    value_msat: payment.amountMsat.toString(),
    payment_request: payment.bolt11,
    status: statuses[payment.outcome],
    fee_sat: satsOf(fee),
    fee_msat: fee.toString(),
    creation_time_ns: nanoseconds(payment.createdAt),
    htlcs: payment.parts.map(attempt),
    payment_index: payment.index,
    failure_reason: payment.failure === null ? 'FAILURE_REASON_NONE' : failureReasons[payment.failure],
  };
}

export type RoutePlan = Pick<Payment, 'destination' | 'paymentSecret'> &
  Omit<PaymentPart, 'arrived'> & { readonly totalMsat: bigint };

/** The one route there is: over the hub to the outside wallet. */
export function routeMessage(world: LightningWorld, plan: RoutePlan): Message {
  const forward = {
    amt_to_forward: satsOf(plan.amountMsat),
    amt_to_forward_msat: plan.amountMsat.toString(),
    expiry: plan.finalExpiry,
    tlv_payload: true,
    chan_capacity: capacitySats,
  };
  const total = plan.amountMsat + plan.feeMsat;
  const record =
    plan.paymentSecret === null
      ? {}
      : { mpp_record: { payment_addr: bytesOf(plan.paymentSecret), total_amt_msat: plan.totalMsat.toString() } };
  return {
    total_time_lock: plan.firstExpiry,
    total_fees: satsOf(plan.feeMsat),
    total_fees_msat: plan.feeMsat.toString(),
    total_amt: satsOf(total),
    total_amt_msat: total.toString(),
    hops: [
      {
        ...forward,
        chan_id: channels.node,
        fee: satsOf(plan.feeMsat),
        fee_msat: plan.feeMsat.toString(),
        pub_key: world.pubkey('hub'),
      },
      { ...forward, chan_id: channels.outside, fee: '0', fee_msat: '0', pub_key: plan.destination, ...record },
    ],
  };
}

export function amountMessage(msat: bigint): Message {
  return { sat: satsOf(msat), msat: msat.toString() };
}

export function satsOf(msat: bigint): string {
  return (msat / 1000n).toString();
}

function nanoseconds(seconds: number): string {
  return (BigInt(seconds) * 1_000_000_000n).toString();
}
