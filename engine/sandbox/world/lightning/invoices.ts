import { sha256 } from '@noble/hashes/sha2.js';
import { fromHex, toHex } from '../../../domain/hex.ts';
import type { WorldClock } from '../clock.ts';
import { encodeInvoice } from './bolt11.ts';
import { LightningError } from './errors.ts';
import { type ArrivedHtlc, type Invoice, type Party, type Payment, type PaymentPart, otherParty } from './records.ts';
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
const longestMemo = 639;

export function addInvoice(
  {
    state,
    clock,
    random,
    leastCltvDelta,
  }: { state: LightningState; clock: WorldClock; random: (length: number) => Uint8Array; leastCltvDelta: number },
  { owner, publicKey }: { owner: Party; publicKey: string },
  wanted: NewInvoice,
): Invoice {
  const preimage = wanted.preimage ?? (wanted.hash === undefined ? toHex(random(32)) : null);
  const hash = wanted.hash ?? toHex(sha256(fromHex(preimage ?? '')));
  const memo = wanted.memo ?? '';
  const cltvDelta = wanted.cltvDelta ?? defaultCltvDelta;
  const expiry = wanted.expirySeconds ?? defaultExpiry;
  const memoBytes = new TextEncoder().encode(memo).length;
  if (memoBytes > longestMemo)
    throw new LightningError('bad-request', `memo too large: ${memoBytes} bytes (maxsize=${longestMemo})`);
  if (expiry <= 0 || expiry > longestExpiry)
    throw new LightningError('bad-request', `expiry of ${expiry}s greater than max of ${longestExpiry}s`);
  if (cltvDelta < leastCltvDelta)
    throw new LightningError(
      'bad-request',
      `CLTV delta of ${cltvDelta} must be greater than minimum of ${leastCltvDelta}`,
    );
  if (state.invoice(owner, hash) !== undefined)
    throw new LightningError('duplicate-hash', 'invoice with payment hash already exists');

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
    const invoice: Invoice = {
      ...terms,
      owner,
      bolt11,
      memo,
      hold: wanted.hold,
      preimage,
      state: 'open',
      addIndex: state.next(`${owner}-add`),
      settleIndex: 0,
      htlcs: [],
    };
    state.saveInvoice(invoice);
    announce(state, invoice, 'added');
    return invoice;
  });
}

/** Whether lnd would accept the HTLC that reached it. */
export function acceptable(
  invoice: Invoice | undefined,
  payment: Payment,
  part: PaymentPart,
  now: number,
  height: number,
): invoice is Invoice {
  return (
    invoice !== undefined &&
    invoice.state === 'open' &&
    now < invoice.expiresAt &&
    (invoice.amountMsat === null || payment.amountMsat >= invoice.amountMsat) &&
    payment.paymentSecret === invoice.paymentSecret &&
    part.finalExpiry >= height + invoice.cltvDelta
  );
}

/** Keeps the parts that came; the invoice counts as paid once they are all there. */
export function accept(
  state: LightningState,
  clock: WorldClock,
  invoice: Invoice,
  payment: Payment,
  came: readonly PaymentPart[],
): Invoice {
  const arrived = came.map(({ amountMsat, finalExpiry }): ArrivedHtlc => ({
    amountMsat,
    acceptedAt: clock.now(),
    acceptHeight: clock.height(),
    expiryHeight: finalExpiry,
    resolvedAt: null,
  }));
  const htlcs = [...invoice.htlcs, ...arrived];
  const complete = htlcs.reduce((sum, htlc) => sum + htlc.amountMsat, 0n) >= payment.amountMsat;
  const accepted: Invoice = { ...invoice, state: complete ? 'accepted' : 'open', htlcs };
  state.saveInvoice(accepted);
  return accepted;
}

export function settleInvoice(state: LightningState, clock: WorldClock, invoice: Invoice, preimage: string): void {
  if (invoice.state !== 'accepted') throw new LightningError('invoice-open', 'invoice still open');
  state.saveInvoice({
    ...invoice,
    state: 'settled',
    preimage,
    htlcs: resolved(invoice, clock),
    settleIndex: state.next(`${invoice.owner}-settle`),
  });
  announce(state, invoice, 'settled');
}

export function cancelInvoice(state: LightningState, clock: WorldClock, invoice: Invoice): void {
  state.saveInvoice({ ...invoice, state: 'cancelled', htlcs: resolved(invoice, clock) });
  announce(state, invoice, 'cancelled');
}

/** Gives the parts of a payment back that never became complete; the invoice stays open. */
export function returnParts(state: LightningState, invoice: Invoice): void {
  state.saveInvoice({ ...invoice, htlcs: [] });
}

function resolved(invoice: Invoice, clock: WorldClock): readonly ArrivedHtlc[] {
  return invoice.htlcs.map((htlc) => ({ ...htlc, resolvedAt: clock.now() }));
}

export function announce(state: LightningState, invoice: Invoice, change: InvoiceChange): void {
  state.emit({ is: 'invoice', owner: invoice.owner, hash: invoice.hash, change });
}

/** The in-flight payment that an invoice holds, whole or in part. */
export function heldPayment(state: LightningState, invoice: Invoice): Payment | undefined {
  const payment = state.payment(otherParty(invoice.owner), invoice.hash);
  return payment?.outcome === 'in-flight' && payment.parts.some((part) => part.arrived) ? payment : undefined;
}
