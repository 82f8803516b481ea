import { expect, test } from 'vitest';
import { failureOf, patience, type Scene } from './lightning-scene.ts';

export function partTests(scene: () => Scene): void {
  test('a payment that came in four parts is held, counted and settled as one', async () => {
    const { port, controls, hash, preimage, hold } = scene();
    const before = await port.liquidity();
    const { bolt11 } = await hold(80_000);
    await controls.payFromOutside(bolt11, { partMsat: 20_000_000n });
    await expect.poll(async () => (await port.hold(hash)).is, patience).toBe('held');
    const { height } = await port.info();
    const held = await port.hold(hash);
    expect(held).toMatchObject({ is: 'held', amount: 80_000n, expiryHeight: height + 103 });
    expect(held.is === 'held' && held.smallest > 0n && held.smallest <= 20_000n).toBe(true);
    expect((await port.liquidity()).pending - before.pending).toBe(80_000n);
    await port.settle(preimage);
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('settled');
    await expect.poll(async () => (await port.liquidity()).outbound - before.outbound, patience).toBe(80_000n);
  });

  test(
    'some of the parts are not a payment: the invoice stays open until the rest comes, and the first to time out ' +
      'counts',
    async () => {
      const { port, controls, hash, preimage, hold } = scene();
      const { height } = await port.info();
      const { pending } = await port.liquidity();
      const { bolt11 } = await hold(80_000);
      await controls.sendPartFromOutside(bolt11, 30_000_000n);
      await expect.poll(async () => (await port.liquidity()).pending - pending, patience).toBe(30_000n);
      expect([await port.hold(hash), await failureOf(port.settle(preimage))]).toEqual([
        { is: 'open' },
        ['hold-open', 'safe'],
      ]);
      await controls.mine(2);
      await controls.sendPartFromOutside(bolt11, 50_000_000n);
      await expect
        .poll(() => port.hold(hash), patience)
        .toEqual({ is: 'held', amount: 80_000n, smallest: 30_000n, expiryHeight: height + 103 });
      await port.settle(preimage);
      await expect.poll(() => controls.outsidePayment(hash), patience).toBe('settled');
    },
  );

  test('cancelling gives the parts back that came', async () => {
    const { port, controls, hash, hold } = scene();
    const before = await port.liquidity();
    await controls.sendPartFromOutside((await hold(80_000)).bolt11, 30_000_000n);
    await expect.poll(async () => (await port.liquidity()).pending - before.pending, patience).toBe(30_000n);
    await port.cancel(hash);
    expect(await port.hold(hash)).toEqual({ is: 'cancelled' });
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('failed');
    await expect.poll(() => port.liquidity(), patience).toEqual(before);
  });

  test('what is too much for one HTLC goes in parts, and the estimate covers the fee of each', async () => {
    const { port, controls, invoice, pay, settled } = scene();
    const before = await port.liquidity();
    const amount = controls.largestPart + 600_000;
    const one = await invoice(amount);
    const estimate = await port.estimateFee(one.bolt11);
    if (estimate === null) throw new Error('there is no route for it');
    await pay(one, amount, { maxFeeMsat: estimate * 1_000n, maxParts: 2 });
    const { feeMsat } = await settled(one.hash);
    // Two base fees and a millionth of the whole.
    expect(feeMsat).toBe(2_000n + BigInt(amount) / 1_000n);
    expect(estimate).toBe((feeMsat + 999n) / 1_000n);
    await expect
      .poll(async () => before.outbound - (await port.liquidity()).outbound, patience)
      .toBeOneOf([BigInt(amount) + estimate, BigInt(amount) + estimate - 1n]);
  });

  test('fault 337, lightning: a payment goes in no more parts than it may', async () => {
    const { controls, invoice, pay, ended } = scene();
    const amount = controls.largestPart + 600_000;
    const one = await invoice(amount);
    await pay(one, amount, { maxFeeMsat: BigInt(amount), maxParts: 1 });
    expect((await ended(one.hash)).is).toBe('failed');
  });
}
