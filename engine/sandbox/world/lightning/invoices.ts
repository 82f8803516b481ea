import { sha256 } from '@noble/hashes/sha2.js';
import { fromHex, toHex } from '../../../domain/hex.ts';
import type { WorldClock } from '../clock.ts';
import { encodeInvoice } from './bolt11.ts';
import { LightningError } from './errors.ts';
import { type Invoice, type Party, type Payment, otherParty } from './records.ts';
import type { InvoiceChange, LightningState } from './state.ts';

export interface NewInvoice {
  /** Given for a hold invoice whose preimage is somebody else's. */
  readonly hash?: string;
  readonly preimage?: string;
  readonly hold: boolean;
  readonly amountMsat: bigint | null;
  readonly memo?: string;
  readonly descriptionHash?: string | null;
  readonly expirySeconds?: number;
  readonly cltvDelta?: number;
}

/** lnd's defaults and limits of an invoice. */
const defaultExpiry = 86_400;
const longestExpiry = 31_536_000;
const defaultCltvDelta = 80;
const leastCltvDelta = 18;
const longestMemo = 639;

export function addInvoice(state: LightningState, clock: WorldClock, random: (length: number) => Uint8Array, owner: Party, publicKey: string, wanted: NewInvoice): Invoice {
  const preimage = wanted.preimage ?? (wanted.hash === undefined ? toHex(random(32)) : null);
  const hash = wanted.hash ?? toHex(sha256(fromHex(preimage ?? '')));
  const memo = wanted.memo ?? '';
  const cltvDelta = wanted.cltvDelta ?? defaultCltvDelta;
  const expiry = wanted.expirySeconds ?? defaultExpiry;
  const memoBytes = new TextEncoder().encode(memo).length;
  if (memoBytes > longestMemo) throw new LightningError('bad-request', `memo too large: ${memoBytes} bytes (maxsize=${longestMemo})`);
  if (expiry <= 0 || expiry > longestExpiry) throw new LightningError('bad-request', `expiry of ${expiry}s greater than max of ${longestExpiry}s`);
  if (cltvDelta < leastCltvDelta) throw new LightningError('bad-request', `CLTV delta of ${cltvDelta} must be greater than minimum of ${leastCltvDelta}`);
  if (state.invoice(owner, hash) !== undefined) throw new LightningError('duplicate-hash', 'invoice with payment hash already exists');

  const createdAt = clock.now();
  const terms = {
    hash,
    amountMsat: wanted.amountMsat,
    descriptionHash: wanted.descriptionHash ?? null,
    createdAt,
    expiresAt: createdAt + expiry,
    cltvDelta,
    paymentSecret: toHex(random(32)),
  };
  const bolt11 = encodeInvoice({ ...terms, description: memo }, { privateKey: fromHex(state.keys[owner]), publicKey });
  return state.change(() => {
    const invoice: Invoice = { ...terms, owner, bolt11, memo, hold: wanted.hold, preimage, state: 'open', addIndex: state.next(`${owner}-add`), settleIndex: 0, htlc: null };
    state.saveInvoice(invoice);
    announce(state, invoice, 'added');
    return invoice;
  });
}

/** Whether lnd would accept the payment that reached it. */
export function acceptable(invoice: Invoice | undefined, payment: Payment, now: number, height: number): invoice is Invoice {
  return (
    invoice !== undefined &&
    invoice.state === 'open' &&
    now < invoice.expiresAt &&
    (invoice.amountMsat === null || payment.amountMsat >= invoice.amountMsat) &&
    payment.paymentSecret === invoice.paymentSecret &&
    payment.finalExpiry >= height + invoice.cltvDelta
  );
}

export function accept(state: LightningState, clock: WorldClock, invoice: Invoice, payment: Payment): Invoice {
  const htlc = { amountMsat: payment.amountMsat, acceptedAt: clock.now(), acceptHeight: clock.height(), expiryHeight: payment.finalExpiry, resolvedAt: null };
  const accepted: Invoice = { ...invoice, state: 'accepted', htlc };
  state.saveInvoice(accepted);
  return accepted;
}

export function settleInvoice(state: LightningState, clock: WorldClock, invoice: Invoice, preimage: string): void {
  if (invoice.htlc === null) throw new LightningError('invoice-open', 'invoice still open');
  const htlc = { ...invoice.htlc, resolvedAt: clock.now() };
  state.saveInvoice({ ...invoice, state: 'settled', preimage, htlc, settleIndex: state.next(`${invoice.owner}-settle`) });
  announce(state, invoice, 'settled');
}

export function cancelInvoice(state: LightningState, clock: WorldClock, invoice: Invoice): void {
  const htlc = invoice.htlc === null ? null : { ...invoice.htlc, resolvedAt: clock.now() };
  state.saveInvoice({ ...invoice, state: 'cancelled', htlc });
  announce(state, invoice, 'cancelled');
}

export function announce(state: LightningState, invoice: Invoice, change: InvoiceChange): void {
  state.emit({ is: 'invoice', owner: invoice.owner, hash: invoice.hash, change });
}

/** The in-flight payment that an accepted invoice holds. */
export function heldPayment(state: LightningState, invoice: Invoice): Payment | undefined {
  const payment = state.payment(otherParty(invoice.owner), invoice.hash);
  return payment?.outcome === 'in-flight' && payment.at === 'held' ? payment : undefined;
}
