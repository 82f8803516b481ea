import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sats, type Sats } from '../../../engine/domain/money.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { cutChange, mostSendable, planSend } from '../../../engine/legs/onchain/send.ts';
import { changeWaste, dustOf, feeUp, inputSize, sendSize } from '../../../engine/legs/onchain/size.ts';
import type { WalletCoin } from '../../../engine/legs/onchain/wallet-coin.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

const own = openPayer('the wallet').script;
const payee = openPayer('the payee').script;

const coinOf = (amount: number, i: number): WalletCoin => ({
  outpoint: { txid: i.toString(16).padStart(64, '0'), vout: i % 3 },
  amount: sats(amount),
  key: { branch: 'bitcoin-deposit', index: i },
});
const coinsOf = (...amounts: number[]): WalletCoin[] => amounts.map(coinOf);
const totalOf = (coins: readonly WalletCoin[]): bigint => coins.reduce((sum, { amount }) => sum + amount, 0n);
const amountsOf = (coins: readonly WalletCoin[] | undefined): bigint[] => (coins ?? []).map(({ amount }) => amount);

const rates = fc.oneof(fc.constantFrom(1, 2, 7, 50, 500), fc.double({ min: 1, max: 300, noNaN: true }));
const wallets = fc.array(fc.integer({ min: 330, max: 5_000_000 }), { maxLength: 30 }).map((all) => all.map(coinOf));
const asks = fc.record({
  wallet: wallets,
  amount: fc.integer({ min: 1_000, max: 3_000_000 }).map(sats),
  rate: rates,
  leastChange: fc.option(fc.integer({ min: 330, max: 60_000 }).map(sats), { nil: undefined }),
  most: fc.integer({ min: 0, max: 2 }),
});

describe('the coins of a payment', () => {
  test('pay for it to the sat, none of them twice, at the rate that was asked', () => {
    fc.assert(
      fc.property(asks, ({ wallet, amount, rate, leastChange, most }) => {
        const keep = wallet.slice(0, most);
        const rest = wallet.slice(most);
        const least = leastChange === undefined ? {} : { leastChange };
        const plan = planSend(rest, { script: payee, amount, changeScript: own, rate, keep, ...least });
        if (plan === null) return;
        const { coins, change, fee } = plan;
        const names = coins.map(({ outpoint }) => outpointKey(outpoint));
        expect(new Set(names).size).toBe(names.length);
        expect(keep.every(({ outpoint }) => names.includes(outpointKey(outpoint)))).toBe(true);
        expect(names.every((name) => wallet.some(({ outpoint }) => outpointKey(outpoint) === name))).toBe(true);
        expect(totalOf(coins)).toBe(amount + (change ?? 0n) + fee);
        const outputs = [payee, ...(change === null ? [] : [own])];
        const floor = feeUp(sendSize(coins.length, outputs), rate);
        // Without change it pays what change would have cost at most, and never for a coin that nobody could relay as
        // change.
        expect(fee >= floor && fee <= floor + (change === null ? changeWaste(rate) + dustOf(own) : 0n)).toBe(true);
        if (change !== null) expect(change).toBeGreaterThanOrEqual(leastChange ?? dustOf(own));
        else expect(leastChange).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  test('are found wherever all coins together pay for it', () => {
    fc.assert(
      fc.property(wallets, rates, (wallet, rate) => {
        const most = mostSendable(wallet, payee, rate);
        if (most < 1_000n) return;
        const ask = { script: payee, changeScript: own, rate };
        expect(planSend(wallet, { ...ask, amount: most })).not.toBeNull();
        expect(planSend(wallet, { ...ask, amount: sats(most + 1n) })).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  test('are the same in whatever order the chain lists them', () => {
    fc.assert(
      fc.property(asks, fc.integer(), ({ wallet, amount, rate }, seed) => {
        const ask = { script: payee, amount, changeScript: own, rate };
        const place = ({ outpoint }: WalletCoin): number => (Number(`0x${outpoint.txid.slice(-4)}`) ^ seed) % 7;
        const shuffled = wallet.toSorted((a, b) => place(a) - place(b));
        expect(planSend(shuffled, ask)).toEqual(planSend(wallet, ask));
      }),
      { numRuns: 150 },
    );
  });

  test('leave no change where that is cheaper, and else leave large coins whole', () => {
    const plan = (amount: number, rate: number) =>
      planSend(coinsOf(1_000_000, 40_000, 300_000, 22_000), {
        script: payee,
        amount: sats(amount),
        changeScript: own,
        rate,
      });
    const two = feeUp(sendSize(2, [payee]), 10);
    expect(plan(62_000 - Number(two) - 100, 10)).toMatchObject({ change: null, fee: two + 100n });
    expect(amountsOf(plan(62_000 - Number(two) - 100, 10)?.coins)).toEqual([40_000n, 22_000n]);
    expect(amountsOf(plan(30_000, 10)?.coins)).toEqual([40_000n]);
    expect(amountsOf(plan(100_000, 10)?.coins)).toEqual([300_000n]);
  });

  test('are none that cost more than they bring', () => {
    const dear: Sats = feeUp(inputSize, 100);
    const wallet = coinsOf(Number(dear), Number(dear) - 1, 200_000, 5_000);
    expect(mostSendable(wallet, payee, 100)).toBe(200_000n - feeUp(sendSize(1, [payee]), 100));
    expect(mostSendable(wallet, payee, 1)).toBe(totalOf(wallet) - feeUp(sendSize(4, [payee]), 1));
  });

  test('leave change that is cut into coins for others, to the sat and within the fee', () => {
    const pieces = fc.array(fc.integer({ min: 10_000, max: 400_000 }).map(sats), { maxLength: 20 });
    fc.assert(
      fc.property(
        asks,
        pieces,
        fc.integer({ min: 500, max: 20_000 }).map(sats),
        ({ wallet, amount, rate }, all, mostFee) => {
          const leastChange = sats(25_000);
          const ask = { script: payee, amount, changeScript: own, rate };
          const plan = planSend(wallet, { ...ask, leastChange });
          if (plan === null || plan.change === null) return;
          const cut = cutChange({ ...plan, change: plan.change }, ask, { pieces: all, leastChange, mostFee });
          const out = cut.pieces.reduce((sum: bigint, one) => sum + one, amount);
          expect(totalOf(cut.coins)).toBe(out + cut.change + cut.fee);
          expect(cut.fee).toBe(feeUp(sendSize(cut.coins.length, [payee, own, ...cut.pieces.map(() => own)]), rate));
          expect(cut.change >= leastChange && (cut.pieces.length === 0 || cut.fee <= mostFee)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('leave no change that costs more some day than it holds', () => {
    const worthless = 500;
    const amount = 100_000 - Number(feeUp(sendSize(1, [payee, own]), 30)) - worthless;
    const plan = planSend(coinsOf(100_000), { script: payee, amount: sats(amount), changeScript: own, rate: 30 });
    expect(plan?.change).toBeNull();
  });
});
