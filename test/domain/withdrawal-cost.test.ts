import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { routingCeiling, withdrawalCeiling } from '../../engine/domain/withdrawal-cost.ts';

const ceilings = { withdrawalBps: 100, withdrawalMinSats: 500, withdrawalMaxSats: 20_000 };

test('a withdrawal may cost its share, and never less than the least nor more than the most', () => {
  const amounts = [1_000n, 50_000n, 50_100n, 1_000_000n, 1_999_900n, 2_000_000n, 100_000_000n];
  expect(amounts.map((amount) => withdrawalCeiling(sats(amount), ceilings))).toEqual([
    500n,
    500n,
    501n,
    10_000n,
    19_999n,
    20_000n,
    20_000n,
  ]);
});

test('a route may cost half a percent and ten sats, and no more than a withdrawal', () => {
  const amounts = [1_000n, 98_000n, 1_000_000n, 100_000_000n];
  expect(amounts.map((amount) => routingCeiling(sats(amount), ceilings))).toEqual([15n, 500n, 5_010n, 20_000n]);
});
