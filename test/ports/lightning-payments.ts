import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { failureOf, hashOf, patience, refusals, type Scene, strangersInvoice } from './lightning-scene.ts';

/** Through the hub: 1,000 msat and a millionth of 100,000 sats. */
const amount = 100_000;
const feeMsat = 1_100n;
/** The hub's own delta, and lnd's padding of the last hop. */
const hubBlocks = 80;
const padding = 3;

export function paymentTests(scene: () => Scene): void {
  test('tells the network, a height and what its channels carry', async () => {
    const { port } = scene();
    const [info, liquidity] = await Promise.all([port.info(), port.liquidity()]);
    expect(info).toMatchObject({ network: 'regtest', synced: true, tipTime: expect.any(Number) });
    expect(info.height).toBeGreaterThan(0);
    expect([liquidity.outbound > 1_000_000n, liquidity.inbound > 1_000_000n, liquidity.pending]).toEqual([
      true,
      true,
      0n,
    ]);
  });

  test('a payment settles with the preimage of its hash, costs what was estimated, and moves just that', async () => {
    const { port, invoice, pay, settled } = scene();
    const before = await port.liquidity();
    const one = await invoice(amount);
    expect([await port.payment(one.hash), await port.estimateFee(one.bolt11)]).toEqual([{ is: 'absent' }, 2n]);
    await pay(one, amount);
    const { preimage, ...state } = await settled(one.hash);
    expect([state, toHex(hashOf(preimage))]).toEqual([{ is: 'settled', feeMsat }, toHex(one.hash)]);
    await expect
      .poll(async () => before.outbound - (await port.liquidity()).outbound, patience)
      .toBeOneOf([100_001n, 100_002n]);
  });

  test('a fee of 1,010 msat is paid within a limit of 1,010 and not within one of 1,009', async () => {
    const { invoice, pay, settled, failed } = scene();
    // Too little for lnd to split: of a larger payment it would send what the limit allows, see the world's own test.
    const little = 10_000;
    const [within, above] = [await invoice(little), await invoice(little)];
    await pay(above, little, { maxFeeMsat: 1_009n });
    expect(await failed(above.hash)).toBe('no route');
    await pay(within, little, { maxFeeMsat: 1_010n });
    expect((await settled(within.hash)).feeMsat).toBe(1_010n);
  });

  test('no HTLC times out above the height that was given, and one that just fits is sent', async () => {
    const { port, invoice, pay, settled, failed } = scene();
    const cltvDelta = 40;
    const route = cltvDelta + padding + hubBlocks;
    const [fits, tooLong, noEnd] = [
      await invoice(1_000, { cltvDelta }),
      await invoice(1_000, { cltvDelta }),
      await invoice(1_000, { cltvDelta }),
    ];
    await pay(tooLong, 1_000, { blocks: route - 1 });
    expect(await failed(tooLong.hash)).toBe('no route');
    await pay(fits, 1_000, { blocks: route });
    await settled(fits.hash);
    expect(await failureOf(pay(noEnd, 1_000, { blocks: cltvDelta + padding }))).toEqual(['payment-refused', 'never']);
    expect(await failureOf(pay(noEnd, 1_000, { blocks: padding - 1 }))).toEqual(['payment-too-late', 'never']);
    expect(await port.payment(noEnd.hash)).toEqual({ is: 'absent' });
  });

  test('paying a settled payment again moves nothing', async () => {
    const { port, invoice, pay, settled } = scene();
    const one = await invoice(amount);
    await pay(one, amount);
    const first = await settled(one.hash);
    // A payment is settled before its HTLC has left the channel.
    await expect.poll(async () => (await port.liquidity()).pending, patience).toBe(0n);
    const before = await port.liquidity();
    await pay(one, amount);
    expect([await port.payment(one.hash), await port.liquidity()]).toEqual([first, before]);
  });

  test('a payment that is held is in flight, found by a second pay, and settles once', async () => {
    const { port, controls, inFlight, pay, settled } = scene();
    const before = await port.liquidity();
    const one = await inFlight(amount);
    await pay(one, amount);
    expect(await port.payment(one.hash)).toEqual({ is: 'in-flight' });
    await controls.settleOutside(one.hash);
    await settled(one.hash);
    await expect
      .poll(async () => before.outbound - (await port.liquidity()).outbound, patience)
      .toBeOneOf([100_001n, 100_002n]);
  });

  test('a payment that the payee gives back has failed, returns its amount, and the same hash is not paid again', async () => {
    const { port, controls, inFlight, pay, failed } = scene();
    const before = await port.liquidity();
    const one = await inFlight(amount);
    await controls.cancelOutside(one.hash);
    expect(await failed(one.hash)).toBe('incorrect payment details');
    await expect.poll(() => port.liquidity(), patience).toEqual(before);
    await pay(one, amount);
    expect(await failed(one.hash)).toBe('incorrect payment details');
  });

  test('what no payment can come of is refused before anything is sent, or fails, and nothing is lost', async () => {
    const { port, controls, hash, invoice, pay, failed } = scene();
    const before = await port.liquidity();
    const now = await controls.now();
    const one = await invoice(amount);
    const own = await port.createInvoice({ amount: sats(1_000), description: 'to itself' });
    const stranger = strangersInvoice(now);
    // Bits 30, 14 and 8.
    const amp = strangersInvoice(now, { words: [1, 0, 0, 0, 16, 8, 0] });
    const otherNetwork = strangersInvoice(now, { prefix: 'lntbs250u' });
    const [nothing, belowASat] = [
      strangersInvoice(now, { prefix: 'lnbcrt' }),
      strangersInvoice(now, { prefix: 'lnbcrt15n' }),
    ];
    const expired = await invoice(amount, { expirySeconds: 1 });
    await controls.advance(2);
    expect(
      await refusals({
        'another amount': pay(one, amount - 1),
        'another hash': pay({ bolt11: one.bolt11, hash }, amount),
        'another network': pay(otherNetwork, 25_000),
        'no amount': pay(nothing, 25_000),
        'a part of a sat': pay(belowASat, 1),
        'no invoice': pay({ bolt11: 'lnbcrt1', hash: hashOf(hash) }, amount),
        expired: pay(expired, amount),
        itself: pay(own, 1_000),
        'for AMP': pay(amp, 25_000),
      }),
    ).toEqual({
      'another amount': ['invoice-mismatch', 'never'],
      'another hash': ['invoice-mismatch', 'never'],
      'another network': ['invoice-mismatch', 'never'],
      'no amount': ['invoice-mismatch', 'never'],
      'a part of a sat': ['invoice-mismatch', 'never'],
      'no invoice': ['invoice-malformed', 'never'],
      expired: ['payment-refused', 'never'],
      itself: ['payment-refused', 'never'],
      'for AMP': ['invoice-malformed', 'never'],
    });
    const unsent = [one, otherNetwork, nothing, belowASat, expired, own, amp].map(({ hash: paid }) => paid);
    expect(await Promise.all(unsent.map((paid) => port.payment(paid)))).toEqual(unsent.map(() => ({ is: 'absent' })));
    const tooMuch = Number(before.outbound) + 1_000_000;
    const large = await invoice(tooMuch);
    await pay(large, tooMuch);
    await pay(stranger, 25_000);
    expect([await failed(large.hash), await failed(stranger.hash)]).toEqual(['insufficient balance', 'no route']);
    expect(await port.liquidity()).toEqual(before);
  });

  test('an estimate is nothing where there is no route, and no estimate where there is no amount', async () => {
    const { port, controls, invoice } = scene();
    const now = await controls.now();
    const { outbound } = await port.liquidity();
    const tooMuch = await invoice(Number(outbound) + 1_000_000);
    expect([await port.estimateFee(strangersInvoice(now).bolt11), await port.estimateFee(tooMuch.bolt11)]).toEqual([
      null,
      null,
    ]);
    expect(await failureOf(port.estimateFee(strangersInvoice(now, { prefix: 'lnbcrt' }).bolt11))).toEqual([
      'invoice-malformed',
      'never',
    ]);
  });

  test('an invoice that cannot be paid leaves its hash to nobody: another payment goes on as if it had not been', async () => {
    const { controls, invoice, pay, settled, failed } = scene();
    const stranger = strangersInvoice(await controls.now());
    await pay(stranger, 25_000);
    expect(await failed(stranger.hash)).toBe('no route');
    const one = await invoice(25_000);
    await pay(one, 25_000);
    await settled(one.hash);
  });
}
