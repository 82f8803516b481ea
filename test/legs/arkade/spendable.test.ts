import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { chooseCoins } from '../../../engine/adapters/arkade/choose-coins.ts';
import { lockableWith, livingUntil, mostInputs } from '../../../engine/legs/arkade/spendable.ts';
import type { Vtxo } from '../../../engine/legs/arkade/vtxo.ts';

const dust = sats(330);
const until = unix(1_000);

function coin(amount: number, expiresAt = 2_000): Pick<Vtxo, 'amount' | 'expiresAt'> {
  return { amount: sats(amount), expiresAt: unix(expiresAt) };
}

test('what expires by then counts for nothing, and what is promised is not promised again', () => {
  const coins = [coin(50_000), coin(30_000, 1_000), coin(20_000, 1_001)];
  const most = (promised: number) => lockableWith(coins, { until, promised: sats(promised), dust });
  expect([livingUntil(coins, until), most(0), most(40_000), most(70_000), most(90_000)]).toEqual([
    70_000n,
    69_670n,
    29_670n,
    0n,
    0n,
  ]);
});

test('fault 80: any amount up to it can be chosen from the coins, whatever they are', () => {
  const amounts = fc.array(fc.integer({ min: 330, max: 1_000_000 }), { minLength: 1, maxLength: 2 * mostInputs });
  fc.assert(
    fc.property(amounts, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
      const coins = all.map((amount, i) => ({
        ...coin(amount),
        outpoint: { txid: String(i).padStart(64, '0'), vout: 0 },
      })) as unknown as Vtxo[];
      const most = lockableWith(coins, { until, promised: sats(0), dust });
      const amount = sats(BigInt(Math.floor(Number(most) * share)));
      fc.pre(amount >= dust);
      expect(chooseCoins(coins, amount, dust, new Set())).not.toBeNull();
    }),
  );
});
