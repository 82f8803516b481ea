import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import {
  bitcoinCoin,
  noPrice,
  oldestForOpen,
  oldestPrice,
  priceNow,
  remember,
  rememberSingleSource,
  satsOfWeiUp,
  weiOfSatsDown,
  type PriceMemory,
} from '../../engine/quote/coin-price.ts';
import { gasOf, leastWorth, networkFeeOf, satsOfGas } from '../../engine/quote/gas.ts';

const read = (memory: PriceMemory, at: number, wei: bigint) =>
  remember(memory, { price: { wei, sats: sats(1) }, at: unix(at) });
const priceAt = (memory: PriceMemory, at: number) => priceNow(memory, unix(at))?.wei ?? null;

it('gas is never counted too low, nor a ceiling too high', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 24n }),
      fc.bigInt({ min: 1n, max: 10n ** 20n }),
      fc.bigInt({ min: 1n, max: 10n ** 9n }),
      (wei, perWei, perSats) => {
        const price = { wei: perWei, sats: sats(perSats) };
        const worth = satsOfWeiUp(wei, price);
        expect(worth * price.wei).toBeGreaterThanOrEqual(wei * price.sats);
        expect(weiOfSatsDown(worth, price)).toBeGreaterThanOrEqual(wei - price.wei);
        expect(weiOfSatsDown(worth, price) * price.sats).toBeLessThanOrEqual(worth * price.wei);
      },
    ),
  );
  expect([satsOfWeiUp(1n, bitcoinCoin), satsOfWeiUp(10n ** 18n, bitcoinCoin)]).toEqual([1n, 100_000_000n]);
});

it('fault 59, evm: a price that leaps is believed once it has lasted, and an old one is none', () => {
  const calm = read(noPrice, 0, 1_000n);
  expect(priceAt(calm, 0)).toBe(1_000n);
  expect(priceAt(read(calm, 60, 1_900n), 60)).toBe(1_900n);
  const leapt = read(calm, 60, 10_000n);
  expect(priceAt(leapt, 60)).toBe(1_000n);
  expect(priceAt(read(leapt, 359, 10_000n), 359)).toBe(1_000n);
  expect(priceAt(read(leapt, 360, 10_000n), 360)).toBe(10_000n);
  expect(priceAt(read(leapt, 120, 1_000n), 120)).toBe(1_000n);
  // Another strange one begins to last anew.
  expect(priceAt(read(read(leapt, 359, 100n), 361, 100n), 361)).toBe(1_000n);
  expect([priceAt(calm, oldestPrice), priceAt(calm, oldestPrice + 1)]).toEqual([1_000n, null]);
});

it('fault 114, evm: what is open goes by a price of hours ago, and nothing by one of a time to come', () => {
  const set = read(noPrice, 100_000, 1_000n);
  const open = (at: number) => priceNow(set, unix(100_000 + at), oldestForOpen)?.wei ?? null;
  expect([open(oldestPrice + 1), open(oldestForOpen), open(oldestForOpen + 1)]).toEqual([1_000n, 1_000n, null]);
  expect([priceAt(set, 100_000 - oldestPrice), priceAt(set, 100_000 - oldestPrice - 1)]).toEqual([1_000n, null]);
});

it('fault 114, evm: one RPC alone carries on what two said, and moves it no further than twice', () => {
  const alone = (memory: PriceMemory, at: number, wei: bigint) =>
    rememberSingleSource(memory, { price: { wei, sats: sats(1) }, at: unix(at) });
  let memory = read(noPrice, 0, 1_000n);
  for (const [at, wei] of [
    [600, 1_900n],
    [1_200, 3_700n],
    [1_300, 1_000_000n],
    [1_400, 1n],
  ] as const)
    memory = alone(memory, at, wei);
  expect([priceAt(memory, 1_400), priceAt(memory, 600 + oldestPrice + 1)]).toEqual([1_900n, null]);
  expect(alone(noPrice, 0, 1_000n)).toEqual(noPrice);
});

it('a cost is what its gas costs at most, and falls by the relay where the client sends itself', () => {
  const price = { wei: 3n, sats: sats(1) };
  const cost = satsOfGas(10n, { is: 'dynamic', most: 10n, tip: 1n }, price);
  expect([cost, satsOfGas(10n, { is: 'legacy', price: 1n }, price)]).toEqual([34n, 4n]);
  const costs = { source: sats(100), target: sats(30), flat: sats(10), relay: sats(70), exit: sats(40) };
  expect([networkFeeOf(costs, true), networkFeeOf(costs, false), leastWorth(costs)]).toEqual([140n, 70n, 360n]);
  expect(gasOf.relayFund).toBeLessThanOrEqual(600_000n);
});

it('fault 109, evm: a clock that is set back makes no price a young one, nor keeps a new world strange', () => {
  const calm = read(noPrice, 300_000, 1_000n);
  expect(priceAt(calm, 300_000 - oldestPrice - 1)).toBe(null);
  const back = read(read(calm, 300_010, 5_000n), 200_000, 5_000n);
  expect([back.believed?.price.wei, priceAt(read(back, 200_300, 5_000n), 200_300)]).toEqual([1_000n, 5_000n]);
});
