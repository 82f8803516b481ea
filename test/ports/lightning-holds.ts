import { expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import type { Sha256 } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { failureOf, hashOf, patience, refusals, type Scene } from './lightning-scene.ts';

export function holdTests(scene: () => Scene): void {
  test('a hold invoice goes from absent to open to held to settled, and the payer learns the preimage', async () => {
    const { port, controls, hash, preimage, hold, heldBy } = scene();
    expect(await port.hold(hash)).toEqual({ is: 'absent' });
    const { height } = await port.info();
    const { pending } = await port.liquidity();
    await hold();
    expect(await port.hold(hash)).toEqual({ is: 'open' });
    expect(await heldBy()).toEqual({ is: 'held', amount: 50_000n, smallest: 50_000n, expiryHeight: height + 103 });
    expect([await controls.outsidePayment(hash), (await port.liquidity()).pending - pending]).toEqual([
      'in-flight',
      50_000n,
    ]);
    await port.settle(preimage);
    expect(await port.hold(hash)).toEqual({ is: 'settled' });
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('settled');
  });

  test(
    'creating the same hold invoice again answers the first one to whom may have made it, and other terms are ' +
      'refused',
    async () => {
      const { port, controls, hash } = scene();
      const terms = {
        hash,
        amount: sats(50_000),
        description: 'port suite',
        expiresAt: unix((await controls.now()) + 600),
        cltvDelta: 100,
        again: true,
      };
      const first = await port.createHold(terms);
      expect(await port.createHold(terms)).toEqual(first);
      expect(Math.abs(first.expiresAt - terms.expiresAt)).toBeLessThanOrEqual(2);
      const late = unix((await controls.now()) - 1);
      expect(
        await refusals({
          stranger: port.createHold({ ...terms, again: false }),
          amount: port.createHold({ ...terms, amount: sats(50_001) }),
          description: port.createHold({ ...terms, description: 'another' }),
          delta: port.createHold({ ...terms, cltvDelta: 101 }),
          'too late': port.createHold({ ...terms, hash: hashOf(hash), expiresAt: late }),
        }),
      ).toEqual({
        stranger: ['hold-taken', 'never'],
        amount: ['hold-taken', 'never'],
        description: ['hold-taken', 'never'],
        delta: ['hold-taken', 'never'],
        'too late': ['hold-late', 'never'],
      });
      expect(await port.createHold({ ...terms, expiresAt: late })).toEqual(first);
    },
  );

  test('the hash of a description stands in the invoice in place of the text, and is one of its terms', async () => {
    const { port, controls, hash } = scene();
    const terms = {
      hash,
      amount: sats(50_000),
      description: 'port suite',
      expiresAt: unix((await controls.now()) + 600),
      cltvDelta: 100,
      again: true,
    };
    const descriptionHash = hashOf(hash);
    const first = await port.createHold({ ...terms, descriptionHash });
    expect(decodeInvoice(first.bolt11)).toMatchObject({ description: null, descriptionHash });
    expect(await port.createHold({ ...terms, descriptionHash })).toEqual(first);
    expect(
      await refusals({
        none: port.createHold(terms),
        another: port.createHold({ ...terms, descriptionHash: hashOf(descriptionHash) }),
      }),
    ).toEqual({ none: ['hold-taken', 'never'], another: ['hold-taken', 'never'] });
  });

  test("an invoice that somebody pays, that is over or that opens with our own preimage is nobody's repeated one", async () => {
    const { port, controls, hash, preimage } = scene();
    const terms = {
      amount: sats(50_000),
      description: 'port suite',
      expiresAt: unix((await controls.now()) + 600),
      cltvDelta: 100,
    };
    const again = (of: Sha256, cltvDelta = terms.cltvDelta) =>
      failureOf(port.createHold({ ...terms, cltvDelta, hash: of, again: true }));
    const { bolt11 } = await port.createHold({ ...terms, hash });
    await controls.payFromOutside(bolt11);
    await expect.poll(async () => (await port.hold(hash)).is, patience).toBe('held');
    const whileHeld = await again(hash);
    await port.settle(preimage);
    const settled = await again(hash);
    const cancelled = hashOf(hash);
    await port.createHold({ ...terms, hash: cancelled });
    await port.cancel(cancelled);
    const ordinary = await port.createInvoice({ amount: terms.amount, description: terms.description });
    expect([whileHeld, settled, await again(cancelled), await again(ordinary.hash, 80)]).toEqual(
      Array(4).fill(['hold-taken', 'never']),
    );
  });

  test('a part of a payment shows that somebody was told of the invoice', async () => {
    const { port, controls, hash } = scene();
    const amount = 2 * controls.largestPart;
    const { pending } = await port.liquidity();
    const terms = {
      hash,
      amount: sats(amount),
      description: 'port suite',
      expiresAt: unix((await controls.now()) + 600),
      cltvDelta: 100,
      again: true,
    };
    const { bolt11 } = await port.createHold(terms);
    await controls.sendPartFromOutside(bolt11, BigInt(controls.largestPart) * 1_000n);
    await expect.poll(() => failureOf(port.createHold(terms)), patience).toEqual(['hold-taken', 'never']);
    expect(await port.hold(hash)).toEqual({ is: 'open' });
    await port.cancel(hash);
    await expect.poll(async () => (await port.liquidity()).pending, patience).toBe(pending);
  });

  test('the least CLTV delta is that of the release, and a block less is refused for good', async () => {
    const { port, controls, hash, hold } = scene();
    const { leastCltvDelta } = controls.rules;
    expect(await failureOf(hold(50_000, leastCltvDelta - 1))).toEqual(['hold-refused', 'never']);
    expect(await port.hold(hash)).toEqual({ is: 'absent' });
    expect(await failureOf(hold(50_000, leastCltvDelta))).toBeNull();
  });

  test('settling twice is settling once', async () => {
    const { port, preimage, heldBy } = scene();
    const before = await port.liquidity();
    await heldBy();
    await port.settle(preimage);
    await port.settle(preimage);
    await expect.poll(async () => (await port.liquidity()).outbound - before.outbound, patience).toBe(50_000n);
  });

  test('what is not held cannot be settled, and the answer tells whether it still can come', async () => {
    const { port, hash, preimage, hold } = scene();
    expect(await failureOf(port.settle(preimage))).toEqual(['hold-absent', 'never']);
    await hold();
    expect(await failureOf(port.settle(preimage))).toEqual(['hold-open', 'safe']);
    expect(await port.hold(hash)).toEqual({ is: 'open' });
  });

  test('cancelling gives what was held back, cancelling twice is cancelling once, and settling is over for good', async () => {
    const { port, controls, hash, preimage, heldBy } = scene();
    expect(await failureOf(port.cancel(hash))).toBeNull();
    const before = await port.liquidity();
    await heldBy();
    await port.cancel(hash);
    await port.cancel(hash);
    expect(await port.hold(hash)).toEqual({ is: 'cancelled' });
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('failed');
    expect(await failureOf(port.settle(preimage))).toEqual(['hold-cancelled', 'never']);
    await expect.poll(() => port.liquidity(), patience).toEqual(before);
  });

  test('an open invoice that was cancelled cannot be paid', async () => {
    const { port, controls, hash, hold } = scene();
    const { bolt11 } = await hold();
    await port.cancel(hash);
    await controls.payFromOutside(bolt11);
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('failed');
    expect(await port.hold(hash)).toEqual({ is: 'cancelled' });
  });

  test('cancelling after the settlement is refused for good', async () => {
    const { port, hash, preimage, heldBy } = scene();
    await heldBy();
    await port.settle(preimage);
    expect(await failureOf(port.cancel(hash))).toEqual(['hold-settled', 'never']);
    expect(await port.hold(hash)).toEqual({ is: 'settled' });
  });

  test('an invoice that nobody paid is cancelled at its expiry', async () => {
    const { port, controls, hash } = scene();
    await port.createHold({
      hash,
      amount: sats(50_000),
      description: '',
      expiresAt: unix((await controls.now()) + 2),
      cltvDelta: 100,
    });
    await controls.advance(3);
    await expect.poll(() => port.hold(hash), patience).toEqual({ is: 'cancelled' });
  });

  test('what is held stays held when the invoice expires, and settles', async () => {
    const { port, controls, hash, preimage } = scene();
    const { bolt11, expiresAt } = await port.createHold({
      hash,
      amount: sats(50_000),
      description: '',
      expiresAt: unix((await controls.now()) + 12),
      cltvDelta: 100,
    });
    await controls.payFromOutside(bolt11);
    await expect.poll(async () => (await port.hold(hash)).is, patience).toBe('held');
    await controls.advance(expiresAt - (await controls.now()) + 1);
    expect((await port.hold(hash)).is).toBe('held');
    await port.settle(preimage);
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('settled');
  });

  test('the node gives a held payment back by itself some blocks before its timeout, and not a block sooner', async () => {
    const { port, controls, hash, heldBy } = scene();
    const { expiryHeight } = await heldBy(50_000, controls.rules.leastCltvDelta);
    const { height } = await port.info();
    await controls.mine(expiryHeight - height - controls.rules.cancelBlocks - 1);
    // Longer than lnd needs to act on a block.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await port.hold(hash)).is).toBe('held');
    await controls.mine(1);
    await expect.poll(() => port.hold(hash), patience).toEqual({ is: 'cancelled' });
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('failed');
  });

  test('an ordinary invoice receives', async () => {
    const { port, controls } = scene();
    const before = await port.liquidity();
    const { bolt11, hash } = await port.createInvoice({ amount: sats(7_000), description: 'deposit' });
    expect(await port.hold(hash)).toEqual({ is: 'open' });
    await controls.payFromOutside(bolt11);
    await expect.poll(async () => (await port.liquidity()).outbound - before.outbound, patience).toBe(7_000n);
    expect(await port.hold(hash)).toEqual({ is: 'settled' });
  });

  test('an ordinary invoice may leave its amount to the payer', async () => {
    const { port } = scene();
    const { bolt11 } = await port.createInvoice({ amount: null, description: 'deposit' });
    expect(decodeInvoice(bolt11)).toMatchObject({ amountMsat: null });
  });
}
