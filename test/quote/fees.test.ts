import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { priceFromTarget, routingBudgetMsat } from '../../engine/quote/fees.ts';

test('a payee who owns the last hops earns the network fee and its share of the fee, no more', () => {
  const price = priceFromTarget(sats(100_000), { bps: 25, networkFee: sats(10) });
  const budgets = [0, 5_000, 10_000].map((shareBps) => routingBudgetMsat(price, shareBps));
  expect([price.fee, budgets]).toEqual([250n, [10_000n, 135_000n, 260_000n]]);
});

test('what is left of an odd fee is rounded for the node', () => {
  const cheap = priceFromTarget(sats(1_000), { bps: 25, networkFee: sats(10) });
  const free = priceFromTarget(sats(100_000), { bps: 0, networkFee: sats(10) });
  expect([routingBudgetMsat({ ...cheap, fee: sats(1) }, 3_333), routingBudgetMsat(free, 5_000)]).toEqual([
    10_333n,
    10_000n,
  ]);
});
