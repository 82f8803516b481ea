import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginningPast } from '../../../engine/domain/key-index.ts';
import { takerMarks } from '../../../engine/store/seed-marks.ts';
import { highestSeen, leaveOut } from '../../../engine/service/taker/used.ts';
import { newFolder, openStore } from '../../store/support.ts';

const index = fc.integer({ min: 0, max: 5_000 });

test('whatever is used or seen in whatever order, no index is handed out that was either before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), index), { maxLength: 12 }), (acts) => {
      const { store } = openStore();
      const highWater = takerMarks(newFolder());
      const before = new Set<number>();
      for (const [swaps, last] of acts) {
        if (!swaps) {
          leaveOut({ store, highWater }, last);
          for (let one = 0; one <= last; one++) before.add(one);
          continue;
        }
        // What a create does first where nothing is marked (`skipUsed`).
        if (!highWater.known()) highWater.reach(beginningPast(highestSeen({ store })) - 1);
        const next = store.counters.take('taker', highWater.floor());
        highWater.reach(next);
        if (before.has(next)) return false;
        before.add(next);
      }
      return true;
    }),
    { numRuns: 8 },
  );
});

test('what is seen beyond our own keys is left out with ten thousand more, once', () => {
  const { store } = openStore();
  const highWater = takerMarks(newFolder());
  leaveOut({ store, highWater }, 7);
  leaveOut({ store, highWater }, 3);
  expect([store.counters.peek('taker'), highWater.known(), highestSeen({ store })]).toEqual([0, false, 7]);
  highWater.reach(10);
  expect(store.counters.take('taker', highWater.floor())).toBe(11);
  leaveOut({ store, highWater }, 9);
  expect([store.counters.peek('taker'), highWater.floor()]).toEqual([12, 11]);
  leaveOut({ store, highWater }, 12);
  leaveOut({ store, highWater }, 12);
  expect([store.counters.take('taker', highWater.floor()), highWater.floor()]).toEqual([20_000, 20_000]);
});

test.each([
  [null, 10_000],
  [0, 10_000],
  [1, 20_000],
  [57, 20_000],
  [10_000, 20_000],
  [10_005, 30_000],
])('past %s, words that were used elsewhere begin at %i', (proven, beginning) => {
  expect(beginningPast(proven)).toBe(beginning);
});
