import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StartRefused } from '../../engine/domain/errors.ts';
import { asHash160 } from '../../engine/domain/hash.ts';
import { createHighWater } from '../../engine/store/high-water.ts';
import { intentsCounter, intentsTable } from '../../engine/store/intents.ts';
import { restoredFrom } from '../../engine/store/restored.ts';
import { takerMarks } from '../../engine/store/seed-marks.ts';
import { newFolder, openStore } from './support.ts';

test('fault 5: a database that is behind its folder is known, one that is level is not', () => {
  const folder = newFolder();
  const first = createHighWater(folder);
  for (let index = 0; index < 200; index++) first.reach(index);
  const again = createHighWater(folder);
  expect([again.ahead(200), again.ahead(199), again.ahead(20)]).toEqual([null, null, expect.any(Number)]);
  expect(again.ahead(20)).toBeGreaterThanOrEqual(200);
  first.used(198);
  writeFileSync(join(folder, 'high-water.last'), ''); // cut off while it was written
  expect([createHighWater(folder).ahead(200), createHighWater(folder).ahead(199)]).toEqual([null, null]);
});

test('a mark that is no number is refused with what to do', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'high-water'), 'many');
  expect(() => createHighWater(folder)).toThrow(StartRefused);
  expect(() => createHighWater(folder)).toThrow(
    /does not hold a whole number: remove it together with high-water and /,
  );
  for (const text of ['{}', '-1', '1e3', '0x10', '1.0', '9'.repeat(20)]) {
    writeFileSync(join(folder, 'taker-high-water'), text);
    expect(() => takerMarks(folder)).toThrow(
      /does not hold a whole number: remove it, and the next swap of your own asks/,
    );
  }
  // What the sentence says is safe: no key is new for certain then.
  rmSync(join(folder, 'taker-high-water'));
  expect(takerMarks(folder).known()).toBe(false);
});

test('fault 5: a database that lacks one call to the Lightning node is known, after a crash it is not', () => {
  const { folder, db, store } = openStore();
  const marks = createHighWater(folder, 'intents');
  const water = createHighWater(folder);
  water.reach(0);
  store.counters.take('swap');
  water.used(0);
  const counting = intentsTable(db, store.counters, (index) => marks.used(index));
  const hash = asHash160(new Uint8Array(20));
  const restored = (count: number) =>
    restoredFrom(
      db,
      store.counters.peek('swap'),
      createHighWater(folder),
      createHighWater(folder, 'intents').ahead(count),
    );
  counting.note('payment', 'a', hash);
  counting.note('payment', 'a', hash); // repeated, it is the same
  const level = restored(store.counters.peek(intentsCounter));
  const asItWasBefore = restored(0);
  store.intents.note('payment', 'b', hash); // killed before its mark
  expect([level, asItWasBefore, restored(store.counters.peek(intentsCounter))]).toEqual([
    null,
    { firstIndex: 64, copiedAt: null, firstIntent: 1 },
    null,
  ]);
});
