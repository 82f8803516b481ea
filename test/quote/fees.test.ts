import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noSats, sats } from '../../engine/domain/money.ts';
import { feeDown, priceFromSource, priceFromTarget, routingBudgetMsat } from '../../engine/quote/fees.ts';

test('a payee who owns the last hops earns the network fee and its share of the fee, no more', () => {
  const price = priceFromTarget(sats(100_000), { bps: 25, flat: noSats, networkFee: sats(10) });
  const budgets = [0, 5_000, 10_000].map((shareBps) => routingBudgetMsat(price, shareBps));
  expect([price.fee, budgets]).toEqual([250n, [10_000n, 135_000n, 260_000n]]);
});

test('what is left of an odd fee is rounded for the node', () => {
  const cheap = priceFromTarget(sats(1_000), { bps: 25, flat: noSats, networkFee: sats(10) });
  const free = priceFromTarget(sats(100_000), { bps: 0, flat: noSats, networkFee: sats(10) });
  expect([routingBudgetMsat({ ...cheap, fee: sats(1) }, 3_333), routingBudgetMsat(free, 5_000)]).toEqual([
    10_333n,
    10_000n,
  ]);
});

test('the flat fee comes beside the share, which is rounded down, and a route may have its share of both', () => {
  const rate = { bps: 25, flat: sats(100), networkFee: sats(10) };
  const price = priceFromSource(sats(100_399), rate);
  expect([feeDown(sats(100_399), rate), price.target, routingBudgetMsat(price, 5_000)]).toEqual([
    350n,
    100_039n,
    185_000n,
  ]);
});

test('whatever the terms, what is paid is what arrives and the fees, or nothing arrives', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 21n * 10n ** 14n }),
      fc.integer({ min: 0, max: 10_000 }),
      fc.nat(1_000_000),
      fc.nat(1_000_000),
      (amount, bps, flat, network) => {
        const rate = { bps, flat: sats(flat), networkFee: sats(network) };
        const [from, to] = [priceFromSource(sats(amount), rate), priceFromTarget(sats(amount), rate)];
        expect(to.source).toBe(to.target + to.fee + to.networkFee);
        const left = from.source - from.fee - from.networkFee;
        expect(from.target).toBe(left > 0n ? left : 0n);
        expect(from.fee).toBe((amount * BigInt(bps)) / 10_000n + BigInt(flat));
      },
    ),
  );
});
