import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHighWater } from '../../../engine/store/high-water.ts';
import { leaveOut } from '../../../engine/service/taker/used.ts';
import { newFolder, openStore } from '../../store/support.ts';

const index = fc.integer({ min: 0, max: 5_000 });

test('whatever is used or seen in whatever order, no index is handed out that was either before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), index), { maxLength: 12 }), (acts) => {
      const { store } = openStore();
      const highWater = createHighWater(newFolder(), 'taker-high-water', 1);
      const before = new Set<number>();
      for (const [swaps, last] of acts) {
        if (!swaps) {
          leaveOut({ store, highWater }, last);
          for (let one = 0; one <= last; one++) before.add(one);
          continue;
        }
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

test('what is found again is left out with a hundred more, once, and marks nothing before the first swap', () => {
  const { store } = openStore();
  const highWater = createHighWater(newFolder(), 'taker-high-water', 1);
  leaveOut({ store, highWater }, 7);
  leaveOut({ store, highWater }, 7);
  leaveOut({ store, highWater }, 3);
  expect([store.counters.peek('taker'), highWater.floor()]).toEqual([107, 0]);
  highWater.reach(store.counters.take('taker', highWater.floor()));
  leaveOut({ store, highWater }, 200);
  expect([store.counters.take('taker', highWater.floor()), highWater.floor()]).toEqual([300, 300]);
});
