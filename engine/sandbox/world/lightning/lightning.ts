import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { fromHex, toHex } from '../../../domain/hex.ts';
import type { WorldClock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { LightningError } from './errors.ts';
import {
  type NewInvoice,
  accept,
  acceptable,
  addInvoice,
  announce,
  cancelInvoice,
  heldPayment,
  returnParts,
  settleInvoice,
} from './invoices.ts';
import type { Balances } from './network.ts';
import { type Send, failPayment, partsArrived, sendPart, settlePayment, startPayment } from './payments.ts';
import { type Invoice, type Party, type Payment, otherParty } from './records.ts';
import { type LndRelease, lnd020 } from './release.ts';
import { type AddressKind, walletScript } from './wallet.ts';
import { type Faults, type LightningEvent, openState } from './state.ts';

export interface LightningOptions {
  readonly journal: Journal;
  readonly clock: WorldClock;
  /** Runs a payment's arrival; at once unless given. */
  readonly schedule?: (arrive: () => void) => void;
  readonly random?: (length: number) => Uint8Array;
  /** The lnd that it behaves like; 0.20 unless given. */
  readonly like?: LndRelease;
}

/**
 * A Lightning network of the owner's node, a hub and one outside wallet. Throws a `LightningError` where lnd refuses.
 */
export interface LightningWorld {
  readonly clock: WorldClock;
  readonly like: LndRelease;
  pubkey(who: Party | 'hub'): string;
  balances(): Balances;
  /** How often they changed. */
  moves(): number;
  addInvoice(owner: Party, invoice: NewInvoice): Invoice;
  invoice(owner: Party, hash: string): Invoice | undefined;
  invoices(owner: Party): Invoice[];
  settle(owner: Party, preimage: string): void;
  cancel(owner: Party, hash: string): void;
  send(payer: Party, send: Send): Payment;
  /** One HTLC of a payment made of several; what is incomplete goes back after two minutes. */
  sendPart(payer: Party, part: { bolt11: string; partMsat: bigint }): Payment;
  payment(payer: Party, hash: string): Payment | undefined;
  payments(payer: Party): Payment[];
  /** Payments of either side that are not over; what it costs does not grow with those that are. */
  inFlight(): Payment[];
  /** A fresh address of the node's on-chain wallet, as its output script. */
  newAddress(kind: AddressKind): Uint8Array;
  /** Every script that it gave out, the oldest first. */
  walletScripts(kind?: AddressKind): Uint8Array[];
  faults(): Faults;
  setFaults(faults: Partial<Faults>): void;
  /** Ends a payment of the node that hangs, or that waits at a hold invoice of the outside wallet. */
  release(hash: string, outcome: 'settles' | 'fails'): void;
  /** Lets time act: expired invoices, HTLCs near or past their timeout. Blocks call it by themselves. */
  tick(): void;
  onEvent(listener: (event: LightningEvent) => void): () => void;
  stop(): void;
}

/** lnd keeps the parts of a payment this long while others are missing. */
const partsWaitSeconds = 120;
/** Blocks after the timeout until an HTLC that nobody resolved came back on the chain. */
const forceCloseBlocks = 2;

/** What payments pass through. */
interface Paths {
  readonly clock: LightningOptions['clock'];
  readonly schedule: (arrive: () => void) => void;
  readonly like: LndRelease;
  readonly state: ReturnType<typeof openState>;
}

export function createLightning(options: LightningOptions): LightningWorld {
  const {
    journal,
    clock,
    schedule = (arrive) => arrive(),
    random = (length) => new Uint8Array(randomBytes(length)),
    like = lnd020,
  } = options;
  const state = openState(journal, () => toHex(random(32)));
  const own: Paths = { clock, schedule, like, state };

  const pubkeys = {
    node: pubkeyOf(state.keys.node),
    hub: pubkeyOf(state.keys.hub),
    outside: pubkeyOf(state.keys.outside),
  };

  const stopListening = clock.onChange(() => tick(own));
  tick(own);
  for (const payment of state.inFlightPayments()) launch(own, payment);

  return {
    clock,
    like,
    pubkey: (who) => pubkeys[who],
    balances: () => state.balances(),
    moves: () => state.moves(),
    addInvoice: (owner, wanted) =>
      addInvoice(
        { state, clock, random, leastCltvDelta: like.leastCltvDelta },
        { owner, publicKey: pubkeys[owner] },
        wanted,
      ),
    invoice: (owner, hash) => current(own, state.invoice(owner, hash)),
    invoices: (owner) => state.invoices(owner),
    settle: (owner: Party, preimage: string) => settle(own, owner, preimage),
    cancel: (owner: Party, hash: string) => cancel(own, owner, hash),
    send(payer, send) {
      const payment = startPayment(state, clock, (party) => pubkeys[party], payer, send);
      launch(own, payment);
      return state.payment(payer, payment.hash) ?? payment;
    },
    sendPart(payer, part) {
      const payment = sendPart(state, clock, payer, part);
      launch(own, payment);
      return state.payment(payer, payment.hash) ?? payment;
    },
    payment: (payer, hash) => state.payment(payer, hash),
    payments: (payer) => state.payments(payer),
    inFlight: () => state.inFlightPayments(),
    newAddress(kind) {
      return walletScript(
        state.keys.node,
        state.change(() => state.addAddress(kind)),
      );
    },
    walletScripts: (kind) =>
      state
        .addresses()
        .filter((address) => kind === undefined || address.kind === kind)
        .map((address) => walletScript(state.keys.node, address)),
    faults: () => state.faults(),
    setFaults(changed) {
      const before = state.faults();
      state.change(() => {
        state.setFaults({ ...before, ...changed });
        if (changed.node !== undefined && changed.node !== before.node) state.emit({ is: 'node', state: changed.node });
      });
    },
    release(hash, outcome) {
      arrive(own, 'node', hash);
      const payment = state.payment('node', hash);
      if (payment === undefined)
        throw new LightningError('unknown-payment', `the node has made no payment with the hash ${hash}`);
      const invoice = state.invoice('outside', hash);
      if (payment.outcome !== 'in-flight' || invoice === undefined) {
        throw new LightningError(
          'not-in-flight',
          `the payment ${hash} is ${payment.outcome}, not in flight; only a hanging payment can be released`,
        );
      }
      if (outcome === 'fails') return cancel(own, 'outside', hash);
      if (invoice.preimage === null)
        throw new LightningError('not-in-flight', `nobody in the sandbox knows the preimage of ${hash}`);
      settle(own, 'outside', invoice.preimage);
    },
    tick: () => tick(own),
    onEvent: (listener) => state.onEvent(listener),
    stop: stopListening,
  };
}

function arrive({ clock, state }: Paths, payer: Party, hash: string): void {
  const payment = state.payment(payer, hash);
  if (payment?.outcome !== 'in-flight' || payment.at === 'held') return;
  const coming = payment.parts.filter((part) => !part.arrived);
  if (coming.length === 0) return;
  state.change(() => {
    const invoice = state.invoice(otherParty(payer), hash);
    if (payment.fate === 'fails') return failPayment(state, clock, payment, 'no-route');
    if (
      invoice === undefined ||
      !coming.every((part) => acceptable(invoice, payment, part, clock.now(), clock.height()))
    ) {
      return failPayment(state, clock, payment, 'incorrect-details');
    }
    const accepted = accept(state, clock, invoice, payment, coming);
    if (accepted.state === 'open') return partsArrived(state, payment, false);
    if (!invoice.hold && payment.fate === null && invoice.preimage !== null) {
      settleInvoice(state, clock, accepted, invoice.preimage);
      return settlePayment(state, clock, payment, invoice.preimage);
    }
    announce(state, accepted, 'accepted');
    partsArrived(state, payment, true);
  });
}

function launch(own: Paths, payment: Payment): void {
  const { schedule } = own;
  if (payment.outcome === 'in-flight' && payment.at === 'travelling')
    schedule(() => arrive(own, payment.payer, payment.hash));
}

function settle(own: Paths, owner: Party, preimage: string): void {
  const { clock, state } = own;
  const invoice = invoiceOf(own, owner, toHex(sha256(fromHex(preimage))));
  if (invoice.state === 'settled') return;
  if (invoice.state === 'open') throw new LightningError('invoice-open', 'invoice still open');
  if (invoice.state === 'cancelled') throw new LightningError('invoice-cancelled', 'invoice already canceled');
  state.change(() => {
    const payment = heldPayment(state, invoice);
    settleInvoice(state, clock, invoice, preimage);
    if (payment !== undefined) settlePayment(state, clock, payment, preimage);
  });
}

function cancel(own: Paths, owner: Party, hash: string): void {
  const { clock, state } = own;
  const invoice = invoiceOf(own, owner, hash);
  if (invoice.state === 'cancelled') return;
  if (invoice.state === 'settled') throw new LightningError('invoice-settled', 'invoice already settled');
  state.change(() => {
    const payment = heldPayment(state, invoice);
    cancelInvoice(state, clock, invoice);
    if (payment !== undefined) failPayment(state, clock, payment, 'incorrect-details');
  });
}

function invoiceOf({ state }: Paths, owner: Party, hash: string): Invoice {
  const invoice = state.invoice(owner, hash);
  if (invoice === undefined) throw new LightningError('unknown-invoice', 'unable to locate invoice');
  return invoice;
}

function tick(own: Paths): void {
  const { clock, like, state } = own;
  for (const invoice of state.unresolvedInvoices()) {
    const payment = heldPayment(state, invoice);
    if (invoice.state === 'open' && clock.now() >= invoice.expiresAt) cancel(own, invoice.owner, invoice.hash);
    else if (
      invoice.state === 'open' &&
      invoice.htlcs.some((htlc) => clock.now() >= htlc.acceptedAt + partsWaitSeconds)
    ) {
      state.change(() => {
        returnParts(state, invoice);
        if (payment !== undefined) failPayment(state, clock, payment, 'no-route');
      });
    }
    // A payment that hangs is kept by somebody who does not behave like lnd.
    else if (
      payment?.fate !== 'hangs' &&
      invoice.htlcs.some((htlc) => clock.height() >= htlc.expiryHeight - like.cancelBlocks)
    )
      cancel(own, invoice.owner, invoice.hash);
  }
  for (const payment of state.inFlightPayments()) {
    if (clock.height() < payment.firstExpiry + forceCloseBlocks) continue;
    state.change(() => {
      const invoice = state.invoice(otherParty(payment.payer), payment.hash);
      if (invoice?.state === 'accepted') cancelInvoice(state, clock, invoice);
      // lnd's payer says this once the timeout is confirmed, whatever its balance is.
      failPayment(state, clock, payment, 'insufficient-balance');
    });
  }
}

/** An invoice past its expiry is cancelled when it is looked at, should no tick have come yet. */
function current(own: Paths, invoice: Invoice | undefined): Invoice | undefined {
  const { clock, state } = own;
  if (invoice?.state !== 'open' || clock.now() < invoice.expiresAt) return invoice;
  cancel(own, invoice.owner, invoice.hash);
  return state.invoice(invoice.owner, invoice.hash);
}

function pubkeyOf(privateKey: string): string {
  return toHex(secp256k1.getPublicKey(fromHex(privateKey), true));
}
