import type { WorldClock } from '../clock.ts';
import { type PaymentRequest, decodeInvoice } from './bolt11.ts';
import { LightningError } from './errors.ts';
import {
  type Movement,
  canCarry,
  defaultCltvLimit,
  deliver,
  finalCltvPadding,
  hubCltvDelta,
  lock,
  routeFee,
  unlock,
} from './network.ts';
import { type Party, type Payment, type PaymentFailure, type PaymentPart, otherParty } from './records.ts';
import { split } from './split.ts';
import type { LightningState } from './state.ts';

export interface Send {
  readonly bolt11: string;
  /** Needed for an amountless invoice, refused for any other. */
  readonly amountMsat?: bigint | undefined;
  readonly feeLimitMsat: bigint;
  /** Blocks from now within which every HTLC of the payment must time out. */
  readonly cltvLimit?: number | undefined;
  /** What one HTLC may carry, and how many there may be, where the payer sets less than lnd does. */
  readonly largestMsat?: bigint | undefined;
  readonly mostParts?: number | undefined;
  readonly allowSelf?: boolean | undefined;
}

/** Starts a payment; the caller brings it to its destination when it is locked in. */
export function startPayment(
  state: LightningState,
  clock: WorldClock,
  pubkey: (party: Party) => string,
  payer: Party,
  send: Send,
): Payment {
  const request = readInvoice(send.bolt11);
  const amountMsat = amountOf(request, send.amountMsat);
  if (clock.now() >= request.expiresAt) {
    throw new LightningError(
      'expired',
      `invoice expired. Valid until ${new Date(request.expiresAt * 1000).toISOString()}`,
    );
  }
  if (request.amp)
    throw new LightningError('amp', 'the AMP flag (--amp or SendPaymentRequest.Amp) must be set to pay an AMP invoice');
  const earlier = state.payment(payer, request.hash);
  if (earlier?.outcome === 'settled') throw new LightningError('already-paid', 'invoice is already paid');
  if (earlier?.outcome === 'in-flight') throw new LightningError('in-transition', 'payment is in transition');

  const finalDelta = request.cltvDelta + finalCltvPadding;
  const cltvLimit = send.cltvLimit ?? defaultCltvLimit;
  if (cltvLimit <= finalDelta)
    throw new LightningError('cltv-limit', `cltv limit ${cltvLimit} should be greater than ${finalDelta}`);

  if (request.destination === pubkey(payer) && send.allowSelf !== true)
    throw new LightningError('self-payment', 'self-payments not allowed');

  return state.change(() => {
    const faults = state.faults();
    const fate = payer === 'node' ? faults.nextPayment : null;
    if (fate !== null) state.setFaults({ ...faults, nextPayment: null });

    const finalExpiry = clock.height() + finalDelta;
    const route = { finalExpiry, firstExpiry: finalExpiry + hubCltvDelta, arrived: false };
    const reachable = request.destination === pubkey(otherParty(payer)) && finalDelta + hubCltvDelta <= cltvLimit;
    const short = whatIsShort(state, { payer, amountMsat, feeMsat: 0n });
    const planned = reachable && short === null ? split(amountMsat, send) : { parts: [], whole: false };
    const parts = planned.parts.map((part): PaymentPart => ({ ...route, amountMsat: part, feeMsat: routeFee(part) }));
    const movement = moved(payer, parts);
    const failure = short ?? (parts.length === 0 ? 'no-route' : whatIsShort(state, movement));
    const payment: Payment = {
      payer,
      hash: request.hash,
      bolt11: send.bolt11,
      destination: request.destination,
      paymentSecret: request.paymentSecret,
      index: state.next(`${payer}-payment`),
      amountMsat,
      feeMsat: movement.feeMsat,
      createdAt: clock.now(),
      resolvedAt: failure === null ? null : clock.now(),
      parts: failure === null ? parts : [],
      firstExpiry: route.firstExpiry,
      outcome: failure === null ? 'in-flight' : 'failed',
      preimage: null,
      failure,
      at: 'travelling',
      fate,
    };
    if (failure === null) state.setBalances(lock(state.balances(), movement));
    state.savePayment(payment);
    state.emit({ is: 'payment', payer, hash: payment.hash });
    return payment;
  });
}

/** Sends one HTLC of a payment that is to be made of several, as a payer that chooses its routes itself does. */
export function sendPart(
  state: LightningState,
  clock: WorldClock,
  payer: Party,
  { bolt11, partMsat }: { bolt11: string; partMsat: bigint },
): Payment {
  const request = readInvoice(bolt11);
  if (request.amountMsat === null) throw new LightningError('bad-request', 'parts need an invoice with an amount');
  const { amountMsat } = request;
  const earlier = state.payment(payer, request.hash);
  if (earlier !== undefined && earlier.outcome !== 'in-flight')
    throw new LightningError('already-paid', 'payment is over');
  const finalExpiry = clock.height() + request.cltvDelta + finalCltvPadding;
  const part: PaymentPart = {
    amountMsat: partMsat,
    feeMsat: routeFee(partMsat),
    finalExpiry,
    firstExpiry: finalExpiry + hubCltvDelta,
    arrived: false,
  };
  const movement = moved(payer, [part]);
  if (whatIsShort(state, movement) !== null) throw new LightningError('no-route', 'no channel carries the part');
  return state.change(() => {
    const begun: Payment = earlier ?? {
      payer,
      hash: request.hash,
      bolt11,
      destination: request.destination,
      paymentSecret: request.paymentSecret,
      index: state.next(`${payer}-payment`),
      amountMsat,
      feeMsat: 0n,
      createdAt: clock.now(),
      resolvedAt: null,
      parts: [],
      firstExpiry: part.firstExpiry,
      outcome: 'in-flight',
      preimage: null,
      failure: null,
      at: 'travelling',
      fate: null,
    };
    const payment = { ...begun, feeMsat: begun.feeMsat + part.feeMsat, parts: [...begun.parts, part] };
    state.setBalances(lock(state.balances(), movement));
    state.savePayment(payment);
    state.emit({ is: 'payment', payer, hash: payment.hash });
    return payment;
  });
}

/** What the parts lock in the channels. */
function moved(payer: Party, parts: readonly PaymentPart[]): Movement {
  const sum = (name: 'amountMsat' | 'feeMsat') => parts.reduce((total, part) => total + part[name], 0n);
  return { payer, amountMsat: sum('amountMsat'), feeMsat: sum('feeMsat') };
}

/** All parts that were on their way are there; the payment is held once it is whole. */
export function partsArrived(state: LightningState, payment: Payment, whole: boolean): void {
  state.savePayment({
    ...payment,
    at: whole ? 'held' : 'travelling',
    parts: payment.parts.map((part) => ({ ...part, arrived: true })),
  });
  state.emit({ is: 'payment', payer: payment.payer, hash: payment.hash });
}

export function settlePayment(state: LightningState, clock: WorldClock, payment: Payment, preimage: string): void {
  state.setBalances(deliver(state.balances(), moved(payment.payer, payment.parts)));
  state.savePayment({ ...payment, outcome: 'settled', preimage, resolvedAt: clock.now() });
  state.emit({ is: 'payment', payer: payment.payer, hash: payment.hash });
}

export function failPayment(state: LightningState, clock: WorldClock, payment: Payment, failure: PaymentFailure): void {
  state.setBalances(unlock(state.balances(), moved(payment.payer, payment.parts)));
  state.savePayment({ ...payment, outcome: 'failed', failure, resolvedAt: clock.now() });
  state.emit({ is: 'payment', payer: payment.payer, hash: payment.hash });
}

export function readInvoice(bolt11: string): PaymentRequest {
  let request: PaymentRequest;
  try {
    request = decodeInvoice(bolt11);
  } catch (error) {
    throw new LightningError(
      'bad-invoice',
      `invalid payment request: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (request.network !== 'regtest')
    throw new LightningError('bad-invoice', `invoice not for current active network 'regtest'`);
  return request;
}

function amountOf(request: PaymentRequest, given: bigint | undefined): bigint {
  if (request.amountMsat === null) {
    if (given === undefined || given <= 0n)
      throw new LightningError('bad-request', 'amount must be specified when paying a zero amount invoice');
    return given;
  }
  if (given !== undefined && given !== 0n)
    throw new LightningError('bad-request', 'amount must not be specified when paying a non-zero amount invoice');
  return request.amountMsat;
}

function whatIsShort(state: LightningState, movement: Movement): PaymentFailure | null {
  // Without its peer the node has no channel to send over, and nobody has one to it.
  if (state.faults().peer === 'away') return movement.payer === 'node' ? 'insufficient-balance' : 'no-route';
  const carry = canCarry(state.balances(), movement);
  if (carry === 'yes') return null;
  return carry === 'payer-short' ? 'insufficient-balance' : 'no-route';
}
