import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PortFailure } from '../../engine/domain/errors.ts';
import { type Preimage, type Sha256, asPreimage, asSha256 } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { type Unix, unix } from '../../engine/domain/time.ts';
import type { HoldState, LightningPort, PaymentState } from '../../engine/legs/lightning/port.ts';

/** Everybody on the network who is not the node under test. */
export interface LightningControls {
  /** The clock that invoices expire by. */
  now(): Promise<Unix>;
  /** An invoice of the outside wallet; a hold invoice waits for `settleOutside` or `cancelOutside`. */
  outsideInvoice(terms: { sats: number; hold?: boolean; expirySeconds?: number; cltvDelta?: number }): Promise<{ bolt11: string; hash: Sha256 }>;
  settleOutside(hash: Sha256): Promise<void>;
  cancelOutside(hash: Sha256): Promise<void>;
  /** Starts paying from the outside wallet and returns at once. */
  payFromOutside(bolt11: string): Promise<void>;
  outsidePayment(hash: Sha256): Promise<'in-flight' | 'settled' | 'failed'>;
  mine(blocks: number): Promise<void>;
  /** Makes the node unreachable and reachable again; left out where that cannot be done. */
  away?(): Promise<void>;
  back?(): Promise<void>;
  /** Moves the clock past an invoice's expiry; left out where time is real. */
  advance?(seconds: number): Promise<void>;
}

export interface LightningBench {
  readonly port: LightningPort;
  readonly controls: LightningControls;
  stop(): Promise<void>;
}

const patience = { timeout: 30_000, interval: 20 };

/** What every implementation of `LightningPort` does, named by what it is tried on. */
export function lightningPortSuite(name: string, open: () => Promise<LightningBench>): void {
  describe(`the Lightning port of ${name}`, { timeout: 60_000 }, () => {
    let bench: LightningBench;
    let port: LightningPort;
    let controls: LightningControls;
    let preimage: Preimage;
    let hash: Sha256;

    beforeEach(async () => {
      bench = await open();
      ({ port, controls } = bench);
      preimage = asPreimage(new Uint8Array(randomBytes(32)));
      hash = hashOf(preimage);
    });
    afterEach(() => bench.stop());

    async function hold(amount = 50_000, cltvDelta = 100): Promise<{ bolt11: string; expiresAt: Unix }> {
      return port.createHold({ hash, amount: sats(amount), description: 'port suite', expiresAt: unix((await controls.now()) + 600), cltvDelta });
    }

    async function heldBy(amount = 50_000): Promise<HoldState & { is: 'held' }> {
      await controls.payFromOutside((await hold(amount)).bolt11);
      await expect.poll(async () => (await port.hold(hash)).is, patience).toBe('held');
      return (await port.hold(hash)) as HoldState & { is: 'held' };
    }

    async function pay(invoice: { bolt11: string; hash: Sha256 }, amount: number, limits: { maxFeeMsat?: bigint; blocks?: number } = {}): Promise<void> {
      const { height } = await port.info();
      await port.pay({ ...invoice, amount: sats(amount), maxFeeMsat: limits.maxFeeMsat ?? 100_000n, maxTimeoutHeight: height + (limits.blocks ?? 400) });
    }

    async function ended(paid: Sha256): Promise<PaymentState> {
      await expect.poll(async () => (await port.payment(paid)).is, patience).toMatch(/^(settled|failed)$/);
      return port.payment(paid);
    }

    /** Refused for good: either the call says never, or the payment that it began failed. */
    async function refused(invoice: { bolt11: string; hash: Sha256 }, amount: number, limits: { maxFeeMsat?: bigint; blocks?: number } = {}): Promise<void> {
      const failure = await failureOf(pay(invoice, amount, limits));
      if (failure === null) expect((await ended(invoice.hash)).is).toBe('failed');
      else expect(failure.retry).toBe('never');
    }

    test('tells the network, a height and what its channels carry', async () => {
      const [info, liquidity] = await Promise.all([port.info(), port.liquidity()]);
      expect(info).toMatchObject({ network: 'regtest', synced: true });
      expect(info.height).toBeGreaterThan(0);
      expect(liquidity.outbound).toBeGreaterThan(0n);
      expect(liquidity.inbound).toBeGreaterThan(0n);
    });

    test('a hold invoice goes from absent to open to held to settled, and the payer learns the preimage', async () => {
      expect(await port.hold(hash)).toEqual({ is: 'absent' });
      const { height } = await port.info();
      await hold();
      expect(await port.hold(hash)).toEqual({ is: 'open' });
      const held = await heldBy();
      expect(held.amount).toBe(50_000n);
      expect(held.expiryHeight).toBeGreaterThanOrEqual(height + 100);
      expect(await controls.outsidePayment(hash)).toBe('in-flight');
      await port.settle(preimage);
      expect(await port.hold(hash)).toEqual({ is: 'settled' });
      await expect.poll(() => controls.outsidePayment(hash), patience).toBe('settled');
    });

    test('creating the same hold invoice again answers the first one', async () => {
      const terms = { hash, amount: sats(50_000), description: 'port suite', expiresAt: unix((await controls.now()) + 600), cltvDelta: 100 };
      const first = await port.createHold(terms);
      expect(await port.createHold(terms)).toEqual(first);
      expect(Math.abs(first.expiresAt - terms.expiresAt)).toBeLessThanOrEqual(2);
      expect(await failureOf(port.createHold({ ...terms, amount: sats(50_001) }))).toMatchObject({ retry: 'never' });
    });

    test('settling twice is settling once', async () => {
      const before = await port.liquidity();
      await heldBy();
      await port.settle(preimage);
      await port.settle(preimage);
      await expect.poll(async () => (await port.liquidity()).outbound - before.outbound, patience).toBe(50_000n);
    });

    test('a hold invoice cannot be settled before it is held, nor one that does not exist', async () => {
      expect(await failureOf(port.settle(preimage))).toBeInstanceOf(PortFailure);
      await hold();
      expect(await failureOf(port.settle(preimage))).toBeInstanceOf(PortFailure);
      expect(await port.hold(hash)).toEqual({ is: 'open' });
    });

    test('cancelling gives what was held back, cancelling twice is cancelling once, and settling is over for good', async () => {
      const before = await port.liquidity();
      await heldBy();
      await port.cancel(hash);
      await port.cancel(hash);
      expect(await port.hold(hash)).toEqual({ is: 'cancelled' });
      await expect.poll(() => controls.outsidePayment(hash), patience).toBe('failed');
      expect(await failureOf(port.settle(preimage))).toMatchObject({ retry: 'never' });
      await expect.poll(() => port.liquidity(), patience).toEqual(before);
    });

    test('an open invoice that was cancelled cannot be paid', async () => {
      const { bolt11 } = await hold();
      await port.cancel(hash);
      await controls.payFromOutside(bolt11);
      await expect.poll(() => controls.outsidePayment(hash), patience).toBe('failed');
      expect(await port.hold(hash)).toEqual({ is: 'cancelled' });
    });

    test('cancelling after the settlement is refused for good', async () => {
      await heldBy();
      await port.settle(preimage);
      expect(await failureOf(port.cancel(hash))).toMatchObject({ retry: 'never' });
      expect(await port.hold(hash)).toEqual({ is: 'settled' });
    });

    test('the node gives a held payment back itself shortly before its timeout', async () => {
      const { expiryHeight } = await heldBy();
      const { height } = await port.info();
      await controls.mine(expiryHeight - height - 12);
      await expect.poll(() => port.hold(hash), patience).toEqual({ is: 'cancelled' });
      await expect.poll(() => controls.outsidePayment(hash), patience).toBe('failed');
    });

    test('a payment settles with the preimage of its hash and a fee within its limit', async () => {
      const invoice = await controls.outsideInvoice({ sats: 25_000 });
      expect(await port.payment(invoice.hash)).toEqual({ is: 'absent' });
      await pay(invoice, 25_000);
      const state = (await ended(invoice.hash)) as PaymentState & { is: 'settled' };
      expect(state.is).toBe('settled');
      expect(toHex(hashOf(state.preimage))).toBe(toHex(invoice.hash));
      expect(state.feeMsat).toBeLessThanOrEqual(100_000n);
    });

    test('paying a settled payment again moves nothing', async () => {
      const invoice = await controls.outsideInvoice({ sats: 25_000 });
      await pay(invoice, 25_000);
      const first = await ended(invoice.hash);
      const before = await port.liquidity();
      await pay(invoice, 25_000);
      expect(await port.payment(invoice.hash)).toEqual(first);
      expect(await port.liquidity()).toEqual(before);
    });

    test('a payment that is held is in flight, found by a second pay, and settles once', async () => {
      const before = await port.liquidity();
      const invoice = await controls.outsideInvoice({ sats: 25_000, hold: true });
      await pay(invoice, 25_000);
      await expect.poll(async () => (await port.liquidity()).pending, patience).toBeGreaterThanOrEqual(25_000n);
      expect(await port.payment(invoice.hash)).toEqual({ is: 'in-flight' });
      await pay(invoice, 25_000);
      expect(await port.payment(invoice.hash)).toEqual({ is: 'in-flight' });
      await controls.settleOutside(invoice.hash);
      const state = (await ended(invoice.hash)) as PaymentState & { is: 'settled' };
      const spent = 25_000_000n + state.feeMsat;
      await expect.poll(async () => before.outbound - (await port.liquidity()).outbound, patience).toBe((spent + 999n) / 1_000n);
    });

    test('a payment that the destination rejects has failed, gives its amount back and stays failed', async () => {
      const before = await port.liquidity();
      const invoice = await controls.outsideInvoice({ sats: 25_000, hold: true });
      await pay(invoice, 25_000);
      await expect.poll(async () => (await port.liquidity()).pending, patience).toBeGreaterThanOrEqual(25_000n);
      await controls.cancelOutside(invoice.hash);
      expect((await ended(invoice.hash)).is).toBe('failed');
      await expect.poll(() => port.liquidity(), patience).toEqual(before);
      await pay(invoice, 25_000);
      expect((await port.payment(invoice.hash)).is).toBe('failed');
    });

    test('limits on fee, timeout and amount are kept, and nothing is lost', async () => {
      const before = await port.liquidity();
      await refused(await controls.outsideInvoice({ sats: 25_000, cltvDelta: 144 }), 25_000, { blocks: 144 });
      const other = await controls.outsideInvoice({ sats: 25_000 });
      expect(await failureOf(pay(other, 24_999))).toMatchObject({ retry: 'never' });
      expect(await failureOf(pay({ bolt11: other.bolt11, hash }, 25_000))).toMatchObject({ retry: 'never' });
      expect(await port.payment(other.hash)).toEqual({ is: 'absent' });
      const fee = await port.estimateFee(other.bolt11);
      if (fee !== null && fee > 0n) await refused(other, 25_000, { maxFeeMsat: 0n });
      await refused(await controls.outsideInvoice({ sats: Number(before.outbound) + 1_000_000 }), Number(before.outbound) + 1_000_000);
      expect(await port.liquidity()).toEqual(before);
    });

    test('an expired invoice is refused for good', async (context) => {
      if (controls.advance === undefined) return context.skip();
      const invoice = await controls.outsideInvoice({ sats: 25_000, expirySeconds: 60 });
      await controls.advance(61);
      await refused(invoice, 25_000);
      await hold();
      await controls.advance(601);
      await expect.poll(() => port.hold(hash), patience).toEqual({ is: 'cancelled' });
    });

    test('an estimate covers the fee that is paid', async () => {
      const invoice = await controls.outsideInvoice({ sats: 25_000 });
      const estimate = await port.estimateFee(invoice.bolt11);
      expect(estimate).not.toBeNull();
      await pay(invoice, 25_000, { maxFeeMsat: (estimate ?? 0n) * 1_000n });
      expect((await ended(invoice.hash)).is).toBe('settled');
    });

    test('an ordinary invoice receives', async () => {
      const before = await port.liquidity();
      const { bolt11 } = await port.createInvoice({ amount: sats(7_000), description: 'deposit' });
      await controls.payFromOutside(bolt11);
      await expect.poll(async () => (await port.liquidity()).outbound - before.outbound, patience).toBe(7_000n);
    });

    test('a watch calls for each change of what it watches, and for nothing once it is removed or stopped', async () => {
      const calls: string[] = [];
      const watch = port.watch({ onHold: (of) => calls.push(`hold ${toHex(of)}`), onPayment: (of) => calls.push(`payment ${toHex(of)}`), onGap: () => {} });
      const seen = (call: string) => expect.poll(() => calls.includes(call), patience).toBe(true);
      await hold();
      watch.addHold(hash);
      calls.length = 0;
      await heldBy();
      await seen(`hold ${toHex(hash)}`);
      const invoice = await controls.outsideInvoice({ sats: 25_000, hold: true });
      await pay(invoice, 25_000);
      await expect.poll(async () => (await port.liquidity()).pending, patience).toBeGreaterThan(0n);
      watch.addPayment(invoice.hash);
      calls.length = 0;
      await controls.settleOutside(invoice.hash);
      await seen(`payment ${toHex(invoice.hash)}`);
      watch.removeHold(hash);
      await watch.stop();
      calls.length = 0;
      await port.settle(preimage);
      expect(await port.hold(hash)).toEqual({ is: 'settled' });
      expect(calls).toEqual([]);
    });

    test('while the node is away nothing is known, and it comes back with a gap and what happened meanwhile', async (context) => {
      const { away, back } = controls;
      if (away === undefined || back === undefined) return context.skip();
      let gaps = 0;
      const { bolt11 } = await hold();
      const watch = port.watch({ onHold: () => {}, onPayment: () => {}, onGap: () => gaps++ });
      watch.addHold(hash);
      await away();
      expect(await failureOf(port.hold(hash))).toMatchObject({ retry: 'safe' });
      expect(await failureOf(port.cancel(hash))).toMatchObject({ retry: 'ask-first' });
      await controls.payFromOutside(bolt11);
      const before = gaps;
      await back();
      await expect.poll(() => gaps, patience).toBeGreaterThan(before);
      await expect.poll(() => port.hold(hash).then((state) => state.is, () => 'no answer'), patience).toBe('held');
      await watch.stop();
    });
  });
}

function hashOf(preimage: Uint8Array): Sha256 {
  return asSha256(new Uint8Array(createHash('sha256').update(preimage).digest()));
}

/** The failure a call ends in, or null when it succeeds; anything but a `PortFailure` is a bug and thrown on. */
async function failureOf(call: Promise<unknown>): Promise<PortFailure | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof PortFailure) return error;
    throw error;
  }
}
