import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unix } from '../../../engine/domain/time.ts';
import type { BlockRate } from '../../../engine/legs/onchain/port.ts';
import { highestRate } from '../../../engine/quote/ceilings.ts';
import { believedRate } from '../../../engine/runtime/networks/onchain/fee-rate.ts';
import { leftOut, patientRate } from '../../../engine/runtime/networks/onchain/patient-rate.ts';
import { wantedRate } from '../../../engine/runtime/networks/onchain/wanted-rate.ts';
import { createBitcoinPort, type Estimates } from '../../support/sandbox-ports/bitcoin.ts';
import { newWorld } from './scene.ts';

const hour = 3_600;
const blocksOf = (rates: readonly number[]): BlockRate[] => rates.map((rate, i) => ({ height: 1_000 + i, rate }));
/** A day on which each block asked one sat more than the one before it. */
const climbing = blocksOf(Array.from({ length: 144 }, (_, i) => i + 1));
const someRate = fc.double({ min: 0, max: 2_000, noNaN: true });
const day = fc.array(someRate, { minLength: 24, maxLength: 144 });
const seconds = fc.integer({ min: -hour, max: 100 * hour });

test('a bid is one of the lowest of the day with a day left, and the highest at the end', () => {
  const bids = [48, 24, 12, 6, 3, 1, 0, -1].map((hours) => patientRate(climbing, hours * hour));
  expect(bids).toEqual([5, 9, 19, 41, 96, 144, 144, 144]);
});

test('of too few blocks nothing is said', () => {
  expect([0, 23, 24].map((count) => patientRate(climbing.slice(0, count), 24 * hour))).toEqual([null, null, 2]);
});

test('a bid never falls as time runs out or a block asked more, and stays between floor and ceiling', () => {
  fc.assert(
    fc.property(day, seconds, seconds, fc.nat(), someRate, (rates, one, other, at, more) => {
      const bid = patientRate(blocksOf(rates), Math.max(one, other)) ?? Number.NaN;
      expect(bid).toBeGreaterThanOrEqual(1);
      expect(bid).toBeLessThanOrEqual(highestRate);
      expect(patientRate(blocksOf(rates), Math.min(one, other))).toBeGreaterThanOrEqual(bid);
      const dearer = rates.map((rate, i) => (i === at % rates.length ? rate + more : rate));
      expect(patientRate(blocksOf(dearer), Math.max(one, other))).toBeGreaterThanOrEqual(bid);
    }),
  );
});

test('the order of a day changes no bid', () => {
  fc.assert(
    fc.property(day, seconds, (rates, left) => {
      expect(patientRate(blocksOf(rates.toReversed()), left)).toBe(patientRate(blocksOf(rates), left));
    }),
  );
});

test('three blocks that asked less and left it out are no chance', () => {
  const blocks = blocksOf([1, 1, 9, 9, 1, 1, 1]);
  const since = (height: number) => leftOut(blocks, { rate: 5, since: height });
  expect([1_000, 1_002, 1_003, 1_004, 1_006].map(since)).toEqual([true, true, true, false, false]);
  expect(leftOut(blocks, { rate: 1.2, since: 0 })).toBe(false);
});

test('fault 59: where nobody holds an estimate against another one, it stays within what blocks asked', async () => {
  const day = blocksOf(Array.from({ length: 24 }, (_, i) => i + 7));
  const rateOf = (first: number, late: boolean, blocks: readonly BlockRate[], second?: number): Promise<number> =>
    believedRate(
      {
        ...createBitcoinPort(newWorld(), undefined, { first, ...(second === undefined ? {} : { second }) }),
        blockRates: async () => blocks,
      },
      { within: 6, doubtAbove: 0, late },
    );
  expect([
    await rateOf(400, false, day),
    await rateOf(0, false, day),
    await rateOf(12, false, day),
    await rateOf(400, true, day),
    await rateOf(400, false, day.slice(1)),
    await rateOf(400, false, day, 50),
  ]).toEqual([30, 7, 12, 400, 400, 150]);
});

const now = 1_800_000_000;

function aimOf(
  left: number,
  options: { estimates?: Estimates; blocks?: readonly BlockRate[]; waiting?: { rate: number; since: number } },
) {
  const { estimates = {}, blocks = climbing, waiting } = options;
  const port = { ...createBitcoinPort(newWorld(), undefined, estimates), blockRates: async () => blocks };
  const deadline = unix(Math.round(now + left * hour));
  return wantedRate(port, { deadline, now, doubtAbove: 0, ...(waiting === undefined ? {} : { waiting }) });
}

test('the blocks count whatever an estimate says, and near the deadline the higher one of both', async () => {
  const far = await Promise.all([400, 18, 5, 0].map((first) => aimOf(24, { estimates: { first } })));
  const last = await Promise.all([400, 20, 0, 1e6].map((first) => aimOf(1, { estimates: { first } })));
  expect([...far, ...last].map(({ rate }) => rate)).toEqual([9, 9, 9, 9, 400, 144, 144, 144]);
  const reasons = [far[0], last[0]].map((aim) => [aim?.by, aim?.urgency.patience.blocks, aim?.urgency.late]);
  expect(reasons).toEqual([
    ['what 144 blocks asked', Number.POSITIVE_INFINITY, false],
    ['what 144 blocks asked, and the estimate', 1, true],
  ]);
});

test('estimates count where nobody can tell what blocks asked, and where that cannot be', async () => {
  const without = await aimOf(24, { estimates: { first: 30 }, blocks: [] });
  const cheap = blocksOf(Array.from({ length: 144 }, () => 1));
  const contradicted = await aimOf(24, { estimates: { first: 30 }, blocks: cheap, waiting: { rate: 2, since: 1_100 } });
  const waits = await aimOf(24, { estimates: { first: 30 }, blocks: cheap, waiting: { rate: 1, since: 1_100 } });
  expect([without.rate, without.by, contradicted.rate, waits.rate]).toEqual([30, 'the estimate for 38 blocks', 30, 1]);
});

test('a lone word about blocks is held against a second estimate', async () => {
  const dear = blocksOf(Array.from({ length: 144 }, () => 300));
  const rates = await Promise.all([{}, { second: 4 }].map((estimates) => aimOf(24, { blocks: dear, estimates })));
  expect(rates.map(({ rate }) => rate)).toEqual([300, 12]);
});
