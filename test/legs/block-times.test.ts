import { describe, expect, test } from 'vitest';
import { height, hour, unix } from '../../engine/domain/time.ts';
import { longestFor, shortestFor } from '../../engine/legs/block-times.ts';
import { hasCome, locktimePassed, refundOpens, surelyUntil } from '../../engine/legs/timelocks.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';

/*
 * How often so many blocks take longer than a span: their intervals are exponential, their sum is Erlang distributed.
 * Reckoned here from the integral of its density, by steps of a thousandth of an interval, and not from the sum over
 * Poisson's terms that the code goes by.
 */
function longerThan(blocks: number, intervals: number): number {
  const step = 1e-3;
  let logFactorial = 0;
  for (let i = 2; i < blocks; i++) logFactorial += Math.log(i);
  const density = (x: number) => Math.exp((blocks - 1) * Math.log(x) - x - logFactorial);
  let sum = 0;
  for (let x = intervals + step / 2; x < intervals + 200; x += step) sum += density(x) * step;
  return sum;
}

const counts = [1, 2, 6, 16, 72, 144, 200] as const;

describe('how long blocks take', () => {
  test('12.5 minutes a block and two hours over 72 blocks are missed seven times in ten thousand', () => {
    const missed = longerThan(72, (72 * 750 + 2 * hour) / 600);
    expect(missed * 10_000).toBeCloseTo(7, 0);
  });

  test.each(counts)(
    '%i blocks take longer than is reckoned with once in a million times, a quarter slower',
    (blocks) => {
      const span = longestFor(blocks, policy);
      expect(longerThan(blocks, span / policy.slowBlock)).toBeLessThanOrEqual(1.001e-6);
      expect(longerThan(blocks, (span - 3) / policy.slowBlock)).toBeGreaterThan(0.999e-6);
    },
  );

  test.each(counts)(
    '%i blocks come sooner than is reckoned with once in a million times, a quarter faster',
    (blocks) => {
      const span = shortestFor(blocks, policy);
      const sooner = (of: number) => 1 - longerThan(blocks, Math.max(0, of) / policy.fastBlock);
      expect(sooner(span)).toBeLessThanOrEqual(1.01e-6);
      expect(sooner(span + 3)).toBeGreaterThan(0.99e-6);
    },
  );

  test('none take no time, and each more takes more', () => {
    expect([longestFor(0, policy), longestFor(-3, policy), shortestFor(0, policy)]).toEqual([0, 0, 0]);
    for (let blocks = 1; blocks < 200; blocks++) {
      expect(longestFor(blocks + 1, policy)).toBeGreaterThan(longestFor(blocks, policy));
      expect(shortestFor(blocks + 1, policy)).toBeGreaterThanOrEqual(shortestFor(blocks, policy));
      expect(shortestFor(blocks, policy)).toBeLessThan(longestFor(blocks, policy));
    }
  });
});

describe('a locktime is a height or a time', () => {
  const chain = (tip: number | null, mtp: number | null) => ({
    height: tip,
    mtp: mtp === null ? null : unix(mtp),
  });

  test('a height passes once the tip is at it, a time once median time past is above it', () => {
    const byHeight = (tip: number | null) => locktimePassed(height(800_000), chain(tip, 4_000_000_000));
    expect([null, 799_999, 800_000, 800_001].map(byHeight)).toEqual([false, false, true, true]);
    const byTime = (mtp: number | null) => locktimePassed(unix(1_700_000_000), chain(9_000_000, mtp));
    expect([null, 1_699_999_999, 1_700_000_000, 1_700_000_001].map(byTime)).toEqual([false, false, false, true]);
    expect([refundOpens(height(800_000)), refundOpens(unix(1_700_000_000))]).toEqual([800_000, 1_700_000_001]);
  });

  test('what is reached is reached by the reading that is further on', () => {
    const bitcoin = { mtp: unix(1_700_000_000), height: 10, ahead: { mtp: unix(1_700_000_100), height: 12 } };
    const come = (moment: number) => hasCome(moment < 500 ? height(moment) : unix(moment), { bitcoin });
    expect([12, 13, 1_700_000_100, 1_700_000_101].map(come)).toEqual([true, false, true, false]);
    expect(hasCome(height(0), { bitcoin: chain(null, null) })).toBe(false);
  });

  test('what takes two hours begins sixteen fast blocks before a height', () => {
    expect(surelyUntil(height(800_000), 2 * hour, policy)).toBe(800_000 - 16);
    expect(surelyUntil(height(800_000), 2 * hour + 1, policy)).toBe(800_000 - 17);
    expect(surelyUntil(height(3), 2 * hour, policy)).toBe(0);
  });
});
