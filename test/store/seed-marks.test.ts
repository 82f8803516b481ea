import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataFolder, type DataFolder } from '../../engine/store/data-folder.ts';
import { leftOut, seedFromElsewhere, seedMadeHere, takerMarks } from '../../engine/store/seed-marks.ts';
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

/** A start on the folder with the words of a seed. */
function started<T>(path: string, seed: number, look: (folder: DataFolder) => T): T {
  const sealingKey = () => new Uint8Array(32).fill(seed);
  const folder = openDataFolder({ path, network: 'regtest', sealingKey, onLost: () => undefined });
  try {
    return look(folder);
  } finally {
    folder.close();
  }
}

function useKeys({ store, highWater }: DataFolder, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const index = store.counters.take('swap');
    highWater.reach(index);
    highWater.used(index);
  }
}

const firstIndexIn = (path: string, seed: number) => started(path, seed, (at) => at.restored([])?.firstIndex ?? null);

test('fault 5: words restored beside a database of others leave keys out once that one is removed', () => {
  for (const isBound of [false, true]) {
    const folder = newFolder();
    started(folder, 2, ({ store }) => store.counters.take('swap'));
    // A start that has no seed yet binds the folder as well.
    if (isBound) writeFileSync(join(folder, 'network'), 'mainnet\n');
    seedFromElsewhere(folder);
    expect(() => firstIndexIn(folder, 1)).toThrow('belongs to another seed');
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `sluice.db${end}`), { force: true });
    expect(firstIndexIn(folder, 1)).toBe(leftOut);
  }
});

test('fault 5: words restored beside their own database, or before it, leave keys out after its last', () => {
  const copied = (folder: string): void => started(folder, 1, ({ store }) => void store.counters.take('swap'));
  const [before, after] = [newFolder(), newFolder()];
  copied(after);
  for (const folder of [before, after]) seedFromElsewhere(folder);
  copied(before);
  expect([firstIndexIn(before, 1), firstIndexIn(after, 1)]).toEqual([1 + leftOut, 1 + leftOut]);
});

test('fault 5: words that are sealed anew where their database was used go on after its last key', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'network'), 'mainnet\n');
  started(folder, 1, (at) => useKeys(at, 3));
  seedFromElsewhere(folder);
  expect(firstIndexIn(folder, 1)).toBeNull();
});
