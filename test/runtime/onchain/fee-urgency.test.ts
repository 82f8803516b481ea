import { expect, test } from 'vitest';
import { unix } from '../../../engine/domain/time.ts';
import {
  betterRate,
  urgencyOf,
  urgencyWithin,
  noUrgency,
  type FeeReview,
} from '../../../engine/runtime/networks/onchain/fee-urgency.ts';

const hour = 3_600;
const now = 1_800_000_000;
const left = (hours: number) => urgencyOf(unix(Math.round(now + hours * hour)), now);
const standing: FeeReview = {
  sent: { is: 'accepted' },
  waits: false,
  ownerAsks: false,
  late: false,
  mayRaise: true,
  rival: null,
};

test('a fee is that of a third of the blocks which are left for sure, and of the next two when near', () => {
  expect([72, 24, 12, 6.5, 6, 3, 2, 0, -5].map((hours) => left(hours).within)).toEqual([48, 38, 19, 10, 2, 2, 1, 1, 1]);
});

test('without a deadline nothing hurries, and nothing is patient either', () => {
  expect(urgencyOf(undefined, now)).toBe(noUrgency);
});

test('what its owner wants within some blocks is raised once they came without it', () => {
  expect([1, 6, 144].map(urgencyWithin)).toEqual(
    [1, 6, 144].map((blocks) => ({ within: blocks, patience: { blocks, seconds: blocks * 600 }, late: false })),
  );
});

test('patience ends sooner the nearer the deadline, and with each block in the last two hours', () => {
  const blocks = [30, 20, 10, 6, 3, 2, 1].map((hours) => left(hours).patience.blocks);
  expect(blocks).toEqual([...blocks].sort((a, b) => b - a));
  expect(blocks.slice(-4)).toEqual([3, 3, 1, 1]);
});

test('without an estimate a fee climbs from the relay floor to the highest rate', () => {
  const climb = [30, 24, 15, 6.01, 6, 2].map((hours) => Math.round(left(hours).unestimated ?? 0));
  expect(climb).toEqual([1, 1, 22, 498, 0, 0]);
});

test('a source that always says one sat is outgrown by what a spike asks, from any time that is left on', () => {
  for (const hours of [24, 12, 6, 3]) {
    let rate = 1;
    let waited = 0;
    // Slower blocks than in all but one day of a thousand.
    for (let at = hours; at > 0; at -= 750 / hour) {
      const { patience, late } = left(at);
      waited += 1;
      if (waited < patience.blocks) continue;
      rate = betterRate({ rate, capped: false }, 1, { ...standing, waits: true, late })?.rate ?? rate;
      waited = 0;
    }
    expect(rate, `${hours} h`).toBeGreaterThan(200);
  }
});

test('fault 273, bitcoin: whoever calls a usual fee too dear keeps no claim from a higher one', () => {
  const sent = { is: 'later', reason: 'max feerate exceeded', dear: true } as const;
  expect(betterRate({ rate: 5, capped: false }, 50, { ...standing, sent })?.rate).toBe(50);
  expect(betterRate({ rate: 12_000, capped: false }, 50, { ...standing, sent })?.rate).toBe(9_900);
});
