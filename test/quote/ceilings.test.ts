import { describe, expect, it } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { ownGasBudget, revealCeiling, spendBudget } from '../../engine/quote/ceilings.ts';

const amount = sats(80_000);
const [from, deadline] = [unix(1_000_000), unix(1_040_000)];
const at = (now: number, claimBps = 5_000) => spendBudget(amount, { claimBps }, { from, deadline, now: unix(now) });

describe('what taking a coin may cost until its deadline', () => {
  it('grows by the quarter of its time, and is all of it in the last', () => {
    expect(
      [999_000, 1_000_000, 1_009_999, 1_010_000, 1_020_000, 1_029_999, 1_030_000, 1_050_000].map((now) => at(now)),
    ).toEqual([
      { most: 10_000n, until: 1_010_000 },
      { most: 10_000n, until: 1_010_000 },
      { most: 10_000n, until: 1_010_000 },
      { most: 20_000n, until: 1_020_000 },
      { most: 40_000n, until: 1_030_000 },
      { most: 40_000n, until: 1_030_000 },
      { most: 80_000n, until: null },
      { most: 80_000n, until: null },
    ]);
  });

  it('is what the owner allows, and all of it at once where the deadline was over before it began', () => {
    expect([at(1_000_000, 10_000).most, at(1_025_000, 100).most]).toEqual([20_000n, 800n]);
    expect(spendBudget(amount, { claimBps: 5_000 }, { from: deadline, deadline: from, now: deadline })).toEqual({
      most: 80_000n,
      until: null,
    });
  });
});

describe('what the gas of a claim of ours may cost', () => {
  const gas = { maxShareBps: 5_000, maxFeeGwei: 0 };

  it('grows as on the Bitcoin chain, and begins at what it may cost before anything is given', () => {
    const quarters = [1_000_000, 1_010_000, 1_020_000, 1_030_000].map((now) =>
      ownGasBudget(amount, { from, deadline, now: unix(now) }, gas),
    );
    expect(quarters).toEqual([10_000n, 20_000n, 40_000n, 80_000n]);
    expect(revealCeiling(amount, { claimBps: gas.maxShareBps })).toBe(quarters[0]);
  });

  it('is half at once without a deadline', () => {
    expect(ownGasBudget(amount, { from, deadline: null, now: from }, gas)).toBe(40_000n);
  });
});
