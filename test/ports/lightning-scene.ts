import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { PortFailure } from '../../engine/domain/errors.ts';
import { asPreimage, asSha256, type Preimage, type Sha256 } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Txid } from '../../engine/domain/outpoint.ts';
import { type Unix, unix } from '../../engine/domain/time.ts';
import type { HoldState, LightningPort, PaymentState } from '../../engine/legs/lightning/port.ts';
import { bytesField, descriptionField, numberField, secretField, writeInvoice } from '../adapters/lnd/bolt11-writer.ts';

/**
 * Everybody on the network who is not the node under test: a hub with one channel to it, and a wallet behind the hub.
 */
export interface LightningControls {
  /** What this release of lnd does by itself. */
  readonly rules: { readonly cancelBlocks: number; readonly leastCltvDelta: number };
  /** Sats that one HTLC through the hub may carry: more goes in parts. */
  readonly largestPart: number;
  /** The clock that invoices expire by. */
  now(): Promise<Unix>;
  /** Lets that clock come to an invoice's expiry: by waiting where time is real, so keep it short. */
  advance(seconds: number): Promise<void>;
  /** An invoice of the outside wallet; a hold invoice waits for `settleOutside` or `cancelOutside`. */
  outsideInvoice(terms: {
    msat: bigint;
    hold?: boolean;
    expirySeconds?: number;
    cltvDelta?: number;
  }): Promise<{ bolt11: string; hash: Sha256 }>;
  /** Resolves once a payment of ours has come to the outside wallet and is held there. */
  heldOutside(hash: Sha256): Promise<void>;
  settleOutside(hash: Sha256): Promise<void>;
  cancelOutside(hash: Sha256): Promise<void>;
  /** Starts paying from the outside wallet and returns at once; in parts of at most `partMsat` where that is given. */
  payFromOutside(bolt11: string, options?: { partMsat?: bigint }): Promise<void>;
  /** Sends a single HTLC of a payment that is made of several, and returns at once. */
  sendPartFromOutside(bolt11: string, partMsat: bigint): Promise<void>;
  outsidePayment(hash: Sha256): Promise<'in-flight' | 'settled' | 'failed'>;
  mine(blocks: number): Promise<void>;
  /** Pays the wallet that the node has on the chain, by a transaction that waits to be mined. */
  payWallet(amount: bigint): Promise<Txid>;
  /** The same, with as much to the key hash of that address in a form that this wallet lists and does not count. */
  payWalletTwice(amount: bigint): Promise<Txid>;
  /** Cuts the connection to the node, which lives on. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** SIGKILL, and up again with its channels. */
  kill(whom: 'node' | 'outside'): Promise<void>;
  revive(whom: 'node' | 'outside'): Promise<void>;
  /** The node's one peer goes away and comes back. */
  withdrawPeer(): Promise<void>;
  returnPeer(): Promise<void>;
  /** The node's chain backend goes away and comes back: lnd does not answer then what needs the chain. */
  withdrawChain(): Promise<void>;
  returnChain(): Promise<void>;
}

export interface LightningBench {
  readonly port: LightningPort;
  readonly controls: LightningControls;
  stop(): Promise<void>;
}

/** A lost stream is opened again after up to 30 s. */
export const patience = { timeout: 60_000, interval: 20 };

/** One test's bench with a fresh secret, and what most tests do with them. */
export interface Scene extends Omit<LightningBench, 'stop'> {
  readonly preimage: Preimage;
  readonly hash: Sha256;
  /** A hold invoice of the node over `hash`, the same one when it is asked for again. */
  hold(amount?: number, cltvDelta?: number): Promise<{ bolt11: string; expiresAt: Unix }>;
  /** The same, paid by the outside wallet. */
  heldBy(amount?: number, cltvDelta?: number): Promise<HoldState & { is: 'held' }>;
  invoice(
    amount: number,
    terms?: { hold?: boolean; expirySeconds?: number; cltvDelta?: number },
  ): Promise<{ bolt11: string; hash: Sha256 }>;
  pay(
    invoice: { bolt11: string; hash: Sha256 },
    amount: number,
    limits?: { maxFeeMsat?: bigint; blocks?: number; maxParts?: number },
  ): Promise<void>;
  /** Pays an invoice of the outside wallet that it holds. */
  inFlight(amount: number): Promise<{ bolt11: string; hash: Sha256 }>;
  ended(hash: Sha256): Promise<PaymentState>;
  settled(hash: Sha256): Promise<PaymentState & { is: 'settled' }>;
  failed(hash: Sha256): Promise<string>;
}

export function sceneOn({ port, controls }: LightningBench): Scene {
  const preimage = asPreimage(new Uint8Array(randomBytes(32)));
  const hash = hashOf(preimage);
  const scene: Scene = {
    port,
    controls,
    preimage,
    hash,
    async hold(amount = 50_000, cltvDelta = 100) {
      return port.createHold({
        hash,
        amount: sats(amount),
        description: 'port suite',
        expiresAt: unix((await controls.now()) + 600),
        cltvDelta,
        again: true,
      });
    },
    async heldBy(amount, cltvDelta) {
      await controls.payFromOutside((await scene.hold(amount, cltvDelta)).bolt11);
      await expect.poll(async () => (await port.hold(hash)).is, patience).toBe('held');
      return (await port.hold(hash)) as HoldState & { is: 'held' };
    },
    invoice: (amount, terms = {}) => controls.outsideInvoice({ msat: BigInt(amount) * 1_000n, ...terms }),
    async pay(invoice, amount, limits = {}) {
      const { height } = await port.info();
      await port.pay({
        ...invoice,
        amount: sats(amount),
        maxFeeMsat: limits.maxFeeMsat ?? 100_000n,
        maxTimeoutHeight: height + (limits.blocks ?? 400),
        ...(limits.maxParts === undefined ? {} : { maxParts: limits.maxParts }),
      });
    },
    async inFlight(amount) {
      const before = (await port.liquidity()).pending;
      const invoice = await scene.invoice(amount, { hold: true });
      await scene.pay(invoice, amount);
      await controls.heldOutside(invoice.hash);
      expect(await port.payment(invoice.hash)).toEqual({ is: 'in-flight' });
      expect((await port.liquidity()).pending - before).toBeGreaterThanOrEqual(BigInt(amount));
      return invoice;
    },
    async ended(paid) {
      await expect.poll(async () => (await port.payment(paid)).is, patience).toMatch(/^(settled|failed)$/);
      return port.payment(paid);
    },
    async settled(paid) {
      const state = await scene.ended(paid);
      if (state.is !== 'settled') throw new Error(`the payment did not settle: ${JSON.stringify(state)}`);
      return state;
    },
    async failed(paid) {
      const state = await scene.ended(paid);
      if (state.is !== 'failed') throw new Error('the payment settled and was to fail');
      return state.reason;
    },
  };
  return scene;
}

/** An invoice of somebody whom nobody has a channel with. */
export function strangersInvoice(
  now: number,
  { prefix = 'lnbcrt250u', hash = hashOf(randomBytes(32)), words = features } = {},
): { bolt11: string; hash: Sha256 } {
  const fields = [bytesField(1, hash), secretField, descriptionField, numberField(24, 80), { tag: 5, words }];
  return { bolt11: writeInvoice(prefix, now, fields), hash };
}

/** Bits 8, 14 and 17: what lnd asks of any payee. */
const features = [4, 16, 8, 0];

export function hashOf(preimage: Uint8Array): Sha256 {
  return asSha256(new Uint8Array(createHash('sha256').update(preimage).digest()));
}

/**
 * Code and what may be done after it, or null when the call succeeds; anything but a `PortFailure` is a bug and thrown
 * on.
 */
export async function failureOf(call: Promise<unknown>): Promise<[code: string, retry: string] | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof PortFailure) return [error.code, error.retry];
    throw error;
  }
}

export async function refusals(
  calls: Readonly<Record<string, Promise<unknown>>>,
): Promise<Record<string, [string, string] | null>> {
  return Object.fromEntries(
    await Promise.all(Object.entries(calls).map(async ([name, call]) => [name, await failureOf(call)] as const)),
  );
}
