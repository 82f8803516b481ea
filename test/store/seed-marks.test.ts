import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seedFromElsewhere, seedMadeHere, takerMarks } from '../../engine/store/seed-marks.ts';
import { newFolder } from './support.ts';

test('fault 71: only words that were made here, and in this very folder, begin with their first key', () => {
  const folder = newFolder();
  const unmarked = takerMarks(folder).known();
  seedMadeHere(folder);
  const made = takerMarks(folder);
  const copied = newFolder();
  seedFromElsewhere(folder); // other words, after those were moved away
  expect([unmarked, made.known(), made.floor(), takerMarks(copied).known(), takerMarks(folder).known()]).toEqual([
    false,
    true,
    0,
    false,
    false,
  ]);
});

test('fault 71: a folder that has a database already is not said to be new', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'sluice.db'), '');
  seedMadeHere(folder);
  expect(takerMarks(folder).known()).toBe(false);
});

test('fault 71: words from elsewhere do not go on by the mark of others whose database is there', () => {
  const folder = newFolder();
  seedMadeHere(folder);
  writeFileSync(join(folder, 'sluice.db'), '');
  seedFromElsewhere(folder);
  expect(takerMarks(folder).known()).toBe(false);
});

test('fault 71: a mark that was cut off while it was written proves nothing', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'taker-high-water'), '');
  expect(takerMarks(folder).known()).toBe(false);
});
