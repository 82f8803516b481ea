import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noSats, plus, sats, type Sats } from '../../../engine/domain/money.ts';
import { isKept, mostBeside, planBeside, setAside, totalOf } from '../../../engine/legs/onchain/reserve.ts';
import { planSend } from '../../../engine/legs/onchain/send.ts';
import type { WalletCoin } from '../../../engine/legs/onchain/wallet-coin.ts';
import { feeReserveFor } from '../../../engine/quote/fee-reserve.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

const own = openPayer('the wallet').script;
const payee = openPayer('the payee').script;
const coinsOf = (...amounts: number[]): WalletCoin[] =>
  amounts.map((amount, i) => ({
    outpoint: { txid: i.toString(16).padStart(64, '0'), vout: 0 },
    amount: sats(amount),
    key: { branch: 'bitcoin-deposit', index: i },
  }));
const sum = (coins: readonly WalletCoin[]): Sats => coins.reduce((all, { amount }) => plus(all, amount), noSats);
const amounts = fc.array(
  fc.oneof(fc.integer({ min: 1_000, max: 120_000 }), fc.integer({ min: 1_000, max: 3_000_000 })),
  {
    maxLength: 25,
  },
);

test('a payment spends nothing of the reserve, in coins or in sats, whatever the wallet holds', () => {
  fc.assert(
    fc.property(
      amounts,
      fc.integer({ min: 1_000, max: 2_000_000 }).map(sats),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 0, max: 12 }),
      fc.option(fc.constant(sats(25_000)), { nil: undefined }),
      (of, amount, rate, coins, leastChange) => {
        const wallet = coinsOf(...of);
        const reserve = { coins, each: sats(25_000) };
        const ask = {
          script: payee,
          amount,
          changeScript: own,
          rate,
          ...(leastChange === undefined ? {} : { leastChange }),
        };
        const plan = planBeside(wallet, ask, reserve);
        if (plan === null) return;
        const { free, missing } = setAside(wallet, reserve);
        expect(plan.coins.every((coin) => free.includes(coin))).toBe(true);
        const left = sum(wallet.filter((coin) => !plan.coins.includes(coin)));
        expect(left + (plan.change ?? 0n)).toBeGreaterThanOrEqual(totalOf(reserve) + (leastChange ?? 0n));
        expect(missing).toBeLessThanOrEqual(totalOf(reserve));
      },
    ),
    { numRuns: 400 },
  );
});

test('with nothing to keep a payment is what it was', () => {
  const wallet = coinsOf(30_000, 60_000, 500_000);
  const ask = { script: payee, amount: sats(80_000), changeScript: own, rate: 5 };
  expect(planBeside(wallet, ask, { coins: 0, each: sats(25_000) })).toEqual(planSend(wallet, ask));
});

test('the smallest coins that suffice are kept, and none that is worth more as a funding', () => {
  const reserve = { coins: 2, each: sats(25_000) };
  const { free, missing } = setAside(coinsOf(24_999, 50_000, 25_000, 2_000_000, 50_001, 40_000), reserve);
  expect([free.map(({ amount }) => amount), missing]).toEqual([[24_999n, 50_000n, 2_000_000n, 50_001n], 0n]);
  expect(setAside(coinsOf(2_000_000), reserve).missing).toBe(50_000n);
  expect([sats(24_999), sats(25_000), sats(50_000), sats(50_001)].map((one) => isKept(one, reserve))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('the reserve grows with what is open, and a stranger who opens swaps shuts nobody out', () => {
  const coins = (htlcs: number, vhtlcs: number) => feeReserveFor({ htlcs, vhtlcs }).coins;
  expect([coins(0, 0), coins(1, 0), coins(0, 1), coins(3, 6), coins(500, 500)]).toEqual([0, 1, 1, 5, 10]);
});

test('all that can be sent beside the reserve can be, and not a sat more', () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 10 }), (of, rate, coins) => {
      const wallet = coinsOf(...of);
      const reserve = { coins, each: sats(25_000) };
      const ask = { script: payee, changeScript: own, rate };
      const most = mostBeside(wallet, ask, reserve);
      if (most < 1_000n) return;
      expect(planBeside(wallet, { ...ask, amount: most }, reserve)).not.toBeNull();
      // What is missing of the reserve may be left over in coins as well as in change.
      if (setAside(wallet, reserve).missing > 0n) return;
      expect(planBeside(wallet, { ...ask, amount: sats(most + 1n) }, reserve)).toBeNull();
    }),
    { numRuns: 300 },
  );
});
