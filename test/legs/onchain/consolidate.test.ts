import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noSats, plus, sats, type Sats } from '../../../engine/domain/money.ts';
import { planConsolidation } from '../../../engine/legs/onchain/consolidate.ts';
import { isKept, setAside } from '../../../engine/legs/onchain/reserve.ts';
import { dustOf, feeUp, inputSize, sendSize } from '../../../engine/legs/onchain/size.ts';
import type { WalletCoin } from '../../../engine/legs/onchain/wallet-coin.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

const own = openPayer('the wallet').script;
const coinsOf = (...amounts: number[]): WalletCoin[] =>
  amounts.map((amount, i) => ({
    outpoint: { txid: i.toString(16).padStart(64, '0'), vout: 0 },
    amount: sats(amount),
    key: { branch: 'bitcoin-change', index: i },
  }));
const sum = (amounts: readonly Sats[]): Sats => amounts.reduce(plus, noSats);
const each = sats(25_000);
const plan = (wallet: WalletCoin[], coins = 0, rate = 1, mostFee = 5_000) =>
  planConsolidation(wallet, { own, rate, reserve: { coins, each }, mostFee: sats(mostFee) });

test('coins are joined or split to the sat, within rate and fee, and none that the reserve keeps', () => {
  const amounts = fc.array(fc.oneof(fc.integer({ min: 330, max: 60_000 }), fc.integer({ min: 330, max: 9_000_000 })), {
    maxLength: 90,
  });
  fc.assert(
    fc.property(
      amounts,
      fc.integer({ min: 0, max: 10 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 20_000 }),
      (of, coins, rate, mostFee) => {
        const wallet = coinsOf(...of);
        const made = plan(wallet, coins, rate, mostFee);
        if (made === null) return;
        expect(sum(made.coins.map(({ amount }) => amount))).toBe(sum(made.outputs) + made.fee);
        expect(made.fee).toBe(
          feeUp(
            sendSize(
              made.coins.length,
              made.outputs.map(() => own),
            ),
            rate,
          ),
        );
        expect(made.fee).toBeLessThanOrEqual(mostFee);
        expect(new Set(made.coins).size).toBe(made.coins.length);
        expect(made.outputs.every((amount) => amount >= dustOf(own))).toBe(true);
        const { free } = setAside(wallet, { coins, each });
        if (made.outputs.length === 1) expect(made.coins.every((coin) => free.includes(coin))).toBe(true);
        // Whatever it is, the reserve has no fewer coins than before.
        const purses = (of: readonly Sats[]) => of.filter((amount) => isKept(amount, { each })).length;
        const after = [
          ...wallet.filter((coin) => !made.coins.includes(coin)).map(({ amount }) => amount),
          ...made.outputs,
        ];
        const before = Math.min(coins, purses(wallet.map(({ amount }) => amount)));
        expect(purses(after)).toBeGreaterThanOrEqual(before);
      },
    ),
    { numRuns: 300 },
  );
});

test('few coins are left as they are, many small ones are joined, and dear ones wait', () => {
  const many = (count: number, amount: number) => coinsOf(...Array.from({ length: count }, () => amount));
  expect([plan(many(14, 30_000)), plan(many(15, 30_000))?.coins.length, plan(many(200, 30_000))?.coins.length]).toEqual(
    [null, 4, 60],
  );
  const worthless = Number(feeUp(inputSize, 20)) * 2 - 1;
  expect(plan(many(50, worthless), 0, 20, 50_000)).toBeNull();
  expect(plan(many(50, worthless + 1), 0, 20, 50_000)).not.toBeNull();
  // Fewer where the day has room for fewer.
  expect(plan(many(200, 30_000), 0, 10, 5_000)?.coins.length).toBe(7);
  expect(plan(many(200, 30_000), 0, 10, 1_000)).toBeNull();
});

test('what the reserve lacks is split off a large coin, and never off one that fundings need', () => {
  expect(plan(coinsOf(2_000_000, 40_000), 3)?.outputs.slice(1)).toEqual([50_000n, 50_000n]);
  expect([plan(coinsOf(2_000_000), 0), plan(coinsOf(299_000), 2), plan(coinsOf(301_000), 2)?.outputs.length]).toEqual([
    null,
    null,
    3,
  ]);
});
