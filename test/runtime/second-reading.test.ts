import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { createSecondReading } from '../../engine/runtime/second-reading.ts';

const start = 1_800_000_000;

function readingOf(blocks: readonly (readonly [height: number, time: number, synced?: boolean])[]) {
  const reading = createSecondReading();
  for (const [height, time, synced = true] of blocks) reading.hear({ height, tipTime: unix(start + time), synced });
  const { height, mtp } = reading.reading();
  return { height, mtp: mtp === null ? null : mtp - start };
}

/** Each block at its height and so many seconds later than the one before. */
function steady(count: number): [number, number][] {
  return Array.from({ length: count }, (_, i) => [100 + i, 600 * i]);
}

test('fault 45: six of the last eleven blocks prove how far median time past is, and fewer prove nothing', () => {
  expect([
    readingOf([]),
    readingOf(steady(5)),
    readingOf(steady(6)),
    readingOf(steady(11)),
    readingOf(steady(30)),
  ]).toEqual([
    { height: null, mtp: null },
    { height: 104, mtp: null },
    { height: 105, mtp: 0 },
    { height: 110, mtp: 5 * 600 },
    { height: 129, mtp: 24 * 600 },
  ]);
});

test('fault 45: a node that does not follow the chain says nothing, and a block shown twice counts once', () => {
  expect([
    readingOf([...steady(11), [200, 1_000_000, false]]),
    readingOf([...steady(5), [104, 4 * 600], [105, 4 * 600]]),
    readingOf([...steady(11), [160, 60 * 600]]),
  ]).toEqual([
    { height: 110, mtp: 5 * 600 },
    { height: 105, mtp: null },
    { height: 160, mtp: 5 * 600 },
  ]);
});

test('fault 45: what another node said before counts no more, and a reorganisation takes nothing back', () => {
  expect([readingOf([...steady(30), [127, 27 * 600 + 5]]), readingOf([...steady(30), [100, 5]])]).toEqual([
    { height: 127, mtp: 24 * 600 },
    { height: 100, mtp: null },
  ]);
});

test('fault 45: whatever times miners write, it is never above median time past', () => {
  const block = fc.record({ later: fc.integer({ min: 1, max: 9_000 }), visible: fc.boolean() });
  fc.assert(
    fc.property(fc.array(block, { minLength: 11, maxLength: 60 }), (blocks) => {
      const reading = createSecondReading();
      const times: number[] = [];
      const mtpOf = () => [...times.slice(-11)].sort((a, b) => a - b)[Math.floor(Math.min(11, times.length) / 2)] ?? 0;
      for (const [i, { later, visible }] of blocks.entries()) {
        // A block's time is above the median of those before it, and that is all.
        times.push((times.length === 0 ? start : mtpOf()) + later);
        if (visible) reading.hear({ height: i, tipTime: unix(times.at(-1)!), synced: true });
        if (i >= 10) expect(reading.reading().mtp ?? 0).toBeLessThanOrEqual(mtpOf());
      }
    }),
  );
});
