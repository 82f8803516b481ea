import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noSats, plus, sats } from '../../../engine/domain/money.ts';
import { mostPieces, planFeeSplit, type FeeSplitAsk } from '../../../engine/legs/arkade/fee-split.ts';
import { dustOf, feeUp, sendSize } from '../../../engine/legs/onchain/size.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

interface Coin {
  readonly amount: ReturnType<typeof sats>;
}

const to = openPayer('the wallet').script;
const coinsOf = (...amounts: number[]): Coin[] => amounts.map((amount) => ({ amount: sats(amount) }));

function plan(amounts: number[], ready: number, more: Partial<FeeSplitAsk<Coin>> = {}) {
  const rest = { cost: sats(1_000), to, rate: 1, mostFee: sats(50_000), replaces: null, ...more };
  return planFeeSplit({ coins: coinsOf(...amounts), ready, ...rest });
}

test('a split gives out all of its coin, in pieces that each pay a way, and never more than it may', () => {
  const amount = fc.oneof(fc.integer({ min: 330, max: 60_000 }), fc.integer({ min: 330, max: 9_000_000 }));
  let made = 0;
  fc.assert(
    fc.property(
      fc.array(amount, { maxLength: 30 }),
      fc.integer({ min: 0, max: 80 }),
      fc.integer({ min: 100, max: 30_000 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: 40_000 }),
      fc.option(fc.integer({ min: 100, max: 20_000 })),
      (amounts, ready, cost, rate, mostFee, before) => {
        const replaces = before === null ? null : sats(before);
        const split = plan(amounts, ready, { cost: sats(cost), rate, mostFee: sats(mostFee), replaces });
        if (split === null) return;
        made++;
        const { coin, pieces, fee } = split;
        const size = sendSize(
          1,
          pieces.map(() => to),
        );
        const useful = amounts.filter((one) => BigInt(one) >= BigInt(cost) + dustOf(to)).length;
        expect(plus(pieces.reduce(plus, noSats), fee)).toBe(coin.amount);
        expect(Math.max(...amounts)).toBe(Number(coin.amount));
        expect(fee).toBeLessThanOrEqual(mostFee);
        expect(fee).toBeGreaterThanOrEqual(feeUp(size, rate));
        if (replaces !== null) expect(fee).toBeGreaterThanOrEqual(plus(replaces, feeUp(size, 1)));
        if (replaces === null) expect(useful).toBeLessThan(ready);
        expect(pieces.length).toBeGreaterThanOrEqual(2);
        expect(pieces.length).toBeLessThanOrEqual(Math.min(mostPieces, Math.max(2, ready - useful + 1)));
        expect(pieces.every((piece) => piece >= BigInt(cost) + dustOf(to))).toBe(true);
      },
    ),
    { numRuns: 1_000, seed: 1 },
  );
  expect(made).toBeGreaterThan(100);
});

test.each([
  ['one for each of six', [60_000], 6, {}, 6],
  ['what other coins do not pay for', [60_000, 20_000, 20_000], 6, {}, 4],
  ['no more than the largest makes', [8_000], 6, {}, 4],
  ['no more than the ceiling of the fee lets it', [60_000], 6, { rate: 10, mostFee: sats(2_500) }, 4],
  ['at most a bounded number', [9_000_000], 80, {}, mostPieces],
  ['none where one suffices', [60_000], 1, {}, null],
  ['none where there are as many coins', [60_000, 3_000], 2, {}, null],
  ['none where the coin is too small for two', [3_000], 6, {}, null],
  ['none where the ceiling lets nothing', [60_000], 6, { mostFee: noSats }, null],
  ['none without a coin', [], 6, {}, null],
] as const)('pieces: %s', (_, amounts, ready, more, count) => {
  expect(plan([...amounts], ready, more)?.pieces.length ?? null).toBe(count);
});

test('of a large coin what the ways do not need stays together', () => {
  const pieces = plan([5_000_000], 6)?.pieces ?? [];
  expect([pieces[0]! > 4_900_000n, new Set(pieces.slice(1)).size, pieces[1]! < 10_000n]).toEqual([true, 1, true]);
});
