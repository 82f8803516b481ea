import type { WorldClock } from '../clock.ts';
import { type PaymentRequest, decodeInvoice } from './bolt11.ts';
import { LightningError } from './errors.ts';
import { canCarry, defaultCltvLimit, deliver, finalCltvPadding, hubCltvDelta, lock, routeFee, unlock } from './network.ts';
import { type Party, type Payment, type PaymentFailure, otherParty } from './records.ts';
import type { LightningState } from './state.ts';

export interface Send {
  readonly bolt11: string;
  /** Needed for an amountless invoice, refused for any other. */
  readonly amountMsat?: bigint | undefined;
  readonly feeLimitMsat: bigint;
  /** Blocks from now within which every HTLC of the payment must time out. */
  readonly cltvLimit?: number | undefined;
}

/** Starts a payment; the caller brings it to its destination when it is locked in. */
export function startPayment(state: LightningState, clock: WorldClock, pubkey: (party: Party) => string, payer: Party, send: Send): Payment {
  const request = readInvoice(send.bolt11);
  const amountMsat = amountOf(request, send.amountMsat);
  if (clock.now() >= request.expiresAt) {
    throw new LightningError('expired', `invoice expired. Valid until ${new Date(request.expiresAt * 1000).toISOString()}`);
  }
  const earlier = state.payment(payer, request.hash);
  if (earlier?.outcome === 'settled') throw new LightningError('already-paid', 'invoice is already paid');
  if (earlier?.outcome === 'in-flight') throw new LightningError('in-transition', 'payment is in transition');

  const finalDelta = request.cltvDelta + finalCltvPadding;
  const cltvLimit = send.cltvLimit ?? defaultCltvLimit;
  if (cltvLimit <= finalDelta) throw new LightningError('cltv-limit', `cltv limit ${cltvLimit} should be greater than ${finalDelta}`);

  return state.change(() => {
    const faults = state.faults();
    const fate = payer === 'node' ? faults.nextPayment : null;
    if (fate !== null) state.setFaults({ ...faults, nextPayment: null });

    const feeMsat = routeFee(amountMsat);
    const movement = { payer, amountMsat, feeMsat };
    const finalExpiry = clock.height() + finalDelta;
    const unroutable: PaymentFailure | null =
      request.destination !== pubkey(otherParty(payer)) || finalDelta + hubCltvDelta > cltvLimit || feeMsat > send.feeLimitMsat
        ? 'no-route'
        : whatIsShort(canCarry(state.balances(), movement));
    const payment: Payment = {
      payer,
      hash: request.hash,
      bolt11: send.bolt11,
      destination: request.destination,
      paymentSecret: request.paymentSecret,
      index: earlier?.index ?? state.next(`${payer}-payment`),
      amountMsat,
      feeMsat,
      createdAt: clock.now(),
      resolvedAt: unroutable === null ? null : clock.now(),
      locked: unroutable === null,
      finalExpiry,
      firstExpiry: finalExpiry + hubCltvDelta,
      outcome: unroutable === null ? 'in-flight' : 'failed',
      preimage: null,
      failure: unroutable,
      at: 'travelling',
      fate,
    };
    if (payment.locked) state.setBalances(lock(state.balances(), movement));
    state.savePayment(payment);
    state.emit({ is: 'payment', payer, hash: payment.hash });
    return payment;
  });
}

export function holdPayment(state: LightningState, payment: Payment): void {
  state.savePayment({ ...payment, at: 'held' });
  state.emit({ is: 'payment', payer: payment.payer, hash: payment.hash });
}

export function settlePayment(state: LightningState, clock: WorldClock, payment: Payment, preimage: string): void {
  state.setBalances(deliver(state.balances(), payment));
  state.savePayment({ ...payment, outcome: 'settled', preimage, resolvedAt: clock.now() });
  state.emit({ is: 'payment', payer: payment.payer, hash: payment.hash });
}

export function failPayment(state: LightningState, clock: WorldClock, payment: Payment, failure: PaymentFailure): void {
  state.setBalances(unlock(state.balances(), payment));
  state.savePayment({ ...payment, outcome: 'failed', failure, resolvedAt: clock.now() });
  state.emit({ is: 'payment', payer: payment.payer, hash: payment.hash });
}

export function readInvoice(bolt11: string): PaymentRequest {
  let request: PaymentRequest;
  try {
    request = decodeInvoice(bolt11);
  } catch (error) {
    throw new LightningError('bad-invoice', `invalid payment request: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (request.network !== 'regtest') throw new LightningError('bad-invoice', `invoice not for current active network 'regtest'`);
  return request;
}

function amountOf(request: PaymentRequest, given: bigint | undefined): bigint {
  if (request.amountMsat === null) {
    if (given === undefined || given <= 0n) throw new LightningError('bad-request', 'amount must be specified when paying a zero amount invoice');
    return given;
  }
  if (given !== undefined && given !== 0n) throw new LightningError('bad-request', 'amount must not be specified when paying a non-zero amount invoice');
  return request.amountMsat;
}

function whatIsShort(carry: ReturnType<typeof canCarry>): PaymentFailure | null {
  if (carry === 'yes') return null;
  return carry === 'payer-short' ? 'insufficient-balance' : 'no-route';
}
