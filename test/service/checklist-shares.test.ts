import { expect, test } from 'vitest';
import { sharesOf, stepsOf } from '../../engine/service/checklist/deployment-shares.ts';
import { bitcoinCoin } from '../../engine/quote/coin-price.ts';

const gas = [1_200_000n, 2_100_000n];

test('a contract is paid for where gas is nearly free, and the owner saw a step of the ceiling for each', () => {
  const shown = 2n * bitcoinCoin.wei; // what 45 wei a unit come to
  expect(sharesOf({ shown, gas, prices: [45n, 15n] })).toEqual([1n, 1n]);
});

test('all contracts together are never signed for more than their owner saw', () => {
  for (const price of [15n, 1_000_000n, 30_000_000_000n])
    for (const more of [0n, 1n, 7n, 1_000n]) {
      const shown = (gas.reduce((sum, one) => sum + stepsOf(one, price), 0n) + more) * bitcoinCoin.wei;
      const shares = sharesOf({ shown, gas, prices: [price * 3n, price] }) ?? [];
      expect(shares.reduce((sum, one) => sum + one, 0n)).toBeLessThanOrEqual(shown / bitcoinCoin.wei);
      for (const [at, one] of gas.entries())
        expect((shares[at] ?? 0n) * bitcoinCoin.wei).toBeGreaterThanOrEqual(one * price);
    }
});

test('what does not pay for all of them at the price of now is refused', () => {
  expect(sharesOf({ shown: bitcoinCoin.wei, gas, prices: [45n, 15n] })).toBeNull();
  expect(sharesOf({ shown: 0n, gas, prices: [45n, 15n] })).toBeNull();
  expect(sharesOf({ shown: 0n, gas: [], prices: [45n, 15n] })).toEqual([]);
});
