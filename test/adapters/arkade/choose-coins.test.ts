import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { sats } from '../../../engine/domain/money.ts';
import { asXOnly } from '../../../engine/domain/hash.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { unix } from '../../../engine/domain/time.ts';
import { changeOutputs, chooseCoins, spendable } from '../../../engine/adapters/arkade/choose-coins.ts';
import type { WalletVtxo } from '../../../engine/legs/arkade/vtxo.ts';
import { coinOf, now } from '../../legs/arkade/support.ts';

const dust = sats(330);

function coins(...amounts: number[]): ReturnType<typeof coinOf>[] {
  return amounts.map((amount, i) => coinOf(i + 1, { amount: sats(amount) }));
}

function chosen(amounts: number[], amount: number, avoid: string[] = []): unknown {
  const choice = chooseCoins(coins(...amounts), sats(amount), dust, new Set(avoid));
  return choice && { amounts: choice.coins.map((coin) => Number(coin.amount)), change: Number(choice.change) };
}

describe('the choice of coins', () => {
  test('takes the smallest coin that is enough and leaves no change below dust', () => {
    expect([
      chosen([90_000, 10_000, 10_400, 10_100], 10_000),
      chosen([90_000, 10_400, 10_100], 10_000),
      chosen([10_100], 10_000),
    ]).toEqual([{ amounts: [10_000], change: 0 }, { amounts: [10_400], change: 400 }, null]);
  });

  test('joins the largest coins when none is enough alone', () => {
    expect([
      chosen([4_000, 5_000, 3_000], 8_500),
      chosen([4_000, 5_000, 3_000], 9_000),
      chosen([4_000, 5_000, 3_000], 11_900),
    ]).toEqual([{ amounts: [5_000, 4_000], change: 500 }, { amounts: [5_000, 4_000], change: 0 }, null]);
  });

  test('keeps away from coins that another payment was just prepared with, unless nothing else is left', () => {
    const [first] = coins(20_000, 50_000);
    const avoid = [outpointKey((first as ReturnType<typeof coinOf>).outpoint)];
    expect([chosen([20_000, 50_000], 10_000, avoid), chosen([20_000, 5_000], 10_000, avoid)]).toEqual([
      { amounts: [50_000], change: 40_000 },
      { amounts: [20_000], change: 10_000 },
    ]);
  });

  test('always balances: coins = amount + change, change nothing or at least dust', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 330, max: 1_000_000 }), { maxLength: 60 }),
        fc.integer({ min: 330, max: 3_000_000 }),
        (amounts, amount) => {
          const choice = chooseCoins(coins(...amounts), sats(amount), dust, new Set());
          if (!choice) return;
          const total = choice.coins.reduce((sum, coin) => sum + coin.amount, 0n);
          expect([total, choice.change === 0n || choice.change >= dust, new Set(choice.coins).size]).toEqual([
            sats(amount) + choice.change,
            true,
            choice.coins.length,
          ]);
        },
      ),
    );
  });

  test('leaves out what is spent, unrolled, expired, expiring, reserved or under an old signer', () => {
    const under = { signer: asXOnly(new Uint8Array(32).fill(2)), exitDelay: 512 };
    const of = (n: number, changes: Partial<WalletVtxo> = {}): WalletVtxo => ({
      ...coinOf(n, changes),
      old: changes.old ?? false,
      under,
    });
    const good = of(1);
    const rest = [
      of(2, { spent: true }),
      of(3, { unrolled: true }),
      of(4, { recoverable: true }),
      of(5, { expiresAt: unix(now + 10) }),
      of(6),
      of(7, { old: true }),
    ];
    expect(spendable([good, ...rest], unix(now + 10), [coinOf(6).outpoint])).toEqual([good]);
  });
});

describe('the change', () => {
  const script = new Uint8Array(34);
  const amounts = (...args: [change: number, amount: number, free: number, largest?: number]): number[] => {
    const [change, amount, free, largest] = args;
    return changeOutputs(
      script,
      BigInt(change),
      BigInt(amount),
      free,
      largest === undefined ? null : sats(largest),
    ).map((output) => Number(output.amount));
  };

  test('is cut into pieces while coins are few and it is large, and kept whole otherwise', () => {
    expect([
      amounts(0, 1_000, 1),
      amounts(1_000_003, 10_000, 1),
      amounts(1_000_000, 10_000, 40),
      amounts(150_000, 10_000, 1),
      amounts(1_000_000, 300_000, 1),
    ]).toEqual([[], [250_003, 250_000, 250_000, 250_000], [1_000_000], [150_000], [1_000_000]]);
  });

  test('never exceeds the largest output that the operator takes', () => {
    expect(amounts(1_000_000, 10_000, 40, 400_000)).toEqual([333_334, 333_333, 333_333]);
  });
});
