import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { backUpDatabase, copiedAt, forgetCopy } from '../../engine/store/backup.ts';
import { createHighWater } from '../../engine/store/high-water.ts';
import { inspectDatabase } from '../../engine/store/inspect.ts';
import { migrations } from '../../engine/store/migrate.ts';
import { bindNetwork } from '../../engine/store/open.ts';
import { restoredFrom } from '../../engine/store/restored.ts';
import { newFolder, openStore, swapRow } from './support.ts';

const noon = 1_800_000_000;

function sentence(answer: unknown): string {
  return isRefusal(answer) ? answer.sentence : 'it was made';
}

test('a copy of a database in use holds every commit before it and none after, and is marked', async () => {
  const { folder, db, store } = openStore();
  bindNetwork(db, 'regtest');
  store.swaps.insert(swapRow());
  const to = join(folder, 'copies', 'monday.db');
  mkdirSync(join(folder, 'copies'));
  const made = backUpDatabase(folder, to, noon);
  const facts = await made;
  store.swaps.insert(swapRow({ id: 'b0000000-0000-4000-8000-000000000002' }));
  expect(facts).toEqual({
    network: 'regtest',
    schema: migrations.length,
    knownSchema: migrations.length,
    openSwaps: 1,
    checked: true,
    damage: null,
  });
  expect([inspectDatabase(to)?.openSwaps, inspectDatabase(join(folder, 'sluice.db'))?.openSwaps]).toEqual([1, 2]);
  expect([statSync(to).mode & 0o777, readdirSync(join(folder, 'copies'))]).toEqual([0o600, ['monday.db']]);
  expect(copiedAt(db)).toBeNull();
});

test('the node of a closed database is copied as well, and nothing is overwritten or kept of what fails', async () => {
  const { folder, db, store } = openStore();
  store.swaps.insert(swapRow());
  db.close();
  const to = join(folder, 'copy.db');
  expect(isRefusal(await backUpDatabase(folder, to, noon))).toBe(false);
  const first = readFileSync(to);
  expect(sentence(await backUpDatabase(folder, to, noon))).toBe(
    `${to} exists, and no backup is overwritten: name another file with --to.`,
  );
  expect(readFileSync(to).equals(first)).toBe(true);
  expect(sentence(await backUpDatabase(newFolder(), to, noon))).toMatch(/^There is no database in /);
  expect(sentence(await backUpDatabase(folder, join(folder, 'nowhere', 'copy.db'), noon))).toMatch(
    /^The folder .*nowhere is not there/,
  );
});

test('a damaged database is not kept as a backup', async () => {
  const { folder, db } = openStore();
  db.close();
  const path = join(folder, 'sluice.db');
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 4_096, 12_288);
  writeFileSync(path, bytes);
  const to = join(folder, 'copy.db');
  const answer = await backUpDatabase(folder, to, noon).catch((error: Error) => ({
    refusal: 'invalid' as const,
    sentence: error.message,
  }));
  expect([sentence(answer), existsSync(to), readdirSync(folder).filter((name) => name.includes('.part'))]).toEqual([
    expect.stringMatching(/^The copy is not whole \(.*\), nothing was kept/),
    false,
    [],
  ]);
});

test('a database put back is known by its marks, as a copy, or by a folder without marks', async () => {
  const { folder, db, store } = openStore();
  bindNetwork(db, 'regtest');
  const water = createHighWater(folder);
  const open = () => {
    const index = store.counters.take('swap');
    water.reach(index);
    water.used(index);
  };
  const fresh = restoredFrom(db, 0, createHighWater(newFolder()));
  for (let i = 0; i < 3; i++) open();
  const inUse = restoredFrom(db, store.counters.peek('swap'), water);
  const to = join(newFolder(), 'sluice.db');
  await backUpDatabase(folder, to, noon);
  const copy = openStore(join(to, '..'));
  const counter = copy.store.counters.peek('swap');
  const sameFolder = restoredFrom(copy.db, counter, water);
  const newDisk = restoredFrom(copy.db, counter, createHighWater(newFolder()));
  forgetCopy(copy.db);
  const actedOn = restoredFrom(copy.db, counter, water);
  const copiedOtherwise = restoredFrom(copy.db, counter, createHighWater(newFolder()));
  open();
  const older = restoredFrom(copy.db, counter, water);
  expect({ fresh, inUse, sameFolder, newDisk, actedOn, copiedOtherwise, older }).toEqual({
    fresh: null,
    inUse: null,
    sameFolder: { firstIndex: 64, copiedAt: noon, firstIntent: null },
    newDisk: { firstIndex: 10_003, copiedAt: noon, firstIntent: null },
    actedOn: null,
    copiedOtherwise: { firstIndex: 10_003, copiedAt: null, firstIntent: null },
    older: { firstIndex: 64, copiedAt: null, firstIntent: null },
  });
});

test('fault 5: a copy put in the place of a database whose log was left there is opened as copied', async () => {
  const { folder, store } = openStore();
  const count = (name: string) => store.counters.take(name);
  for (let i = 0; i < 40; i++) count(`before ${i}`);
  const to = join(newFolder(), 'sluice.db');
  await backUpDatabase(folder, to, noon);
  for (let i = 0; i < 400; i++) count(`after ${i}`);
  // As SIGKILL leaves it: nothing of the log is in the database file.
  const put = newFolder();
  copyFileSync(to, join(put, 'sluice.db'));
  copyFileSync(join(folder, 'sluice.db-wal'), join(put, 'sluice.db-wal'));
  const { db, store: restored } = openStore(put);
  expect([
    db.pragma('integrity_check', { simple: true }),
    copiedAt(db),
    restored.counters.peek('before 39'),
    restored.counters.peek('after 399'),
  ]).toEqual(['ok', noon, 1, 0]);
});
