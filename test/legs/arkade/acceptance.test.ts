import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { accept } from '../../../engine/legs/arkade/acceptance.ts';
import type { Vtxo } from '../../../engine/legs/arkade/vtxo.ts';
import { coinOf, now } from './support.ts';

const horizon = unix(now + 100_000);

function judge(coins: readonly Vtxo[], toleranceBps = 100): ReturnType<typeof accept> {
  return accept({
    amount: sats(50_000),
    toleranceBps,
    minExpiry: horizon,
    coins,
    now: { wall: now, bitcoin: { mtp: now, height: 1 } },
  });
}

function coin(n: number, amount: number, changes: Partial<Vtxo> = {}): Vtxo {
  return coinOf(n, { amount: sats(amount), ...changes });
}

describe('a user-funded coin', () => {
  test('is accepted when exact, and over up to the tolerance with its surplus', () => {
    const [exact, over] = [coin(1, 50_000), coin(2, 50_500)];
    expect([judge([exact]), judge([over])]).toEqual([
      { is: 'accepted', kind: 'exact', coin: exact, surplus: 0n, extras: [] },
      { is: 'accepted', kind: 'over', coin: over, surplus: 500n, extras: [] },
    ]);
  });

  test.each([
    ['short by one', { amount: sats(49_999) }, 'short'],
    ['over by one more than the tolerance', { amount: sats(50_501) }, 'too-much'],
    ['expiring before we are done with it', { expiresAt: unix(horizon - 1) }, 'expires-too-soon'],
    ['swept', { recoverable: true }, 'recoverable'],
    ['past its expiry though the operator says nothing', { expiresAt: now }, 'recoverable'],
    ['on the chain already', { unrolled: true }, 'unrolled'],
  ] as const)('is invalid when %s', (_, changes, kind) => {
    const bad = coin(1, 50_000, changes);
    expect(judge([bad])).toMatchObject({ is: 'invalid', kind, coin: bad });
  });

  test('is none when nothing came or everything is spent', () => {
    expect([judge([]), judge([coin(1, 50_000, { spent: true })])]).toEqual([{ is: 'none' }, { is: 'none' }]);
  });

  test('is the exact one among many, then the oldest; every other is extra', () => {
    const [dust, over, exact, later] = [coin(1, 330), coin(2, 50_100), coin(3, 50_000), coin(4, 50_000)];
    expect(judge([later, dust, over, exact])).toEqual({
      is: 'accepted',
      kind: 'exact',
      coin: exact,
      surplus: 0n,
      extras: [dust, over, later],
    });
  });

  test('explains itself by the coin that came nearest to being right', () => {
    const [dust, short, expired] = [coin(1, 330), coin(2, 40_000), coin(3, 50_000, { recoverable: true })];
    expect([judge([dust, short]), judge([dust, short, expired])]).toMatchObject([
      { is: 'invalid', kind: 'short', coin: short },
      { is: 'invalid', kind: 'recoverable', coin: expired },
    ]);
  });

  test('is never accepted outside amount, tolerance and horizon, in whatever order the coins come', () => {
    const any = fc.record({
      n: fc.integer({ min: 1, max: 250 }),
      amount: fc.oneof(fc.integer({ min: 49_990, max: 50_600 }), fc.integer({ min: 330, max: 100_000 })),
      expiresAt: fc.integer({ min: -10, max: 200_000 }).map((left) => unix(now + left)),
      recoverable: fc.boolean(),
      spent: fc.boolean(),
      unrolled: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(any, { maxLength: 6, selector: ({ n }) => n }), (many) => {
        const coins = many.map(({ n, amount, ...rest }) => coin(n, amount, rest));
        const verdict = judge(coins);
        expect(judge([...coins].reverse())).toEqual(verdict);
        if (verdict.is !== 'accepted') return;
        const { coin: chosen, surplus, extras } = verdict;
        expect(
          chosen.amount >= 50_000n &&
            chosen.amount <= 50_500n &&
            chosen.expiresAt >= horizon &&
            !chosen.recoverable &&
            !chosen.spent &&
            !chosen.unrolled,
        ).toBe(true);
        expect([surplus, extras.length]).toEqual([
          chosen.amount - 50_000n,
          coins.filter(({ spent }) => !spent).length - 1,
        ]);
      }),
    );
  });
});
