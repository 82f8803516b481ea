import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { migrate, migrations } from '../../engine/store/migrate.ts';
import { swapsTable } from '../../engine/store/swaps.ts';
import { openStore, swapRow } from './support.ts';

const machines = [swapRow().machine];
const { createdAt } = swapRow();
const before = createdAt - 1;

test('fault 180: the value of a time is right after each write, and after one that was undone', () => {
  const { swaps, atomically } = openStore().store;
  const value = () => swaps.valueSince(before, machines);
  expect(value()).toBe(0n);
  swaps.insert(swapRow({ valueSats: 5n }));
  expect(value()).toBe(5n);
  const failing = () =>
    atomically(() => {
      swaps.insert(swapRow({ id: 'other', valueSats: 7n }));
      expect(value()).toBe(12n);
      throw new Error('the disk is full');
    });
  expect(failing).toThrow('the disk is full');
  expect(value()).toBe(5n);
  swaps.amend({ ...swapRow(), valueSats: 9n }, createdAt + 10);
  expect([value(), swaps.valueSince(createdAt, machines), swaps.valueSince(createdAt + 10, machines)]).toEqual([
    9n,
    9n,
    0n,
  ]);
  const moved = swaps.update(swapRow({ status: 'clientfunded' }));
  expect(value()).toBe(9n);
  swaps.update({ ...moved, status: 'expired' });
  expect(value()).toBe(0n);
});

test('fault 180: a database from before the index counts the same after it', () => {
  const db = new Database(':memory:');
  migrate(db, () => undefined, migrations.slice(0, 8));
  db.prepare(
    `INSERT INTO swaps (id, machine, created_at, updated_at, version, status, at, open, flag, user_id, value_sats,
       terms, progress, terms_version, progress_version, agreed_at)
     VALUES ('a', 'm', 10, 10, 0, 'pending', 'pending', 1, NULL, NULL, 5, '{}', '{}', 1, 1, NULL),
            ('b', 'm', 1, 1, 0, 'clientfunded', 'funded', 1, NULL, NULL, 7, '{}', '{}', 1, 1, 11),
            ('c', 'm', 10, 10, 0, 'expired', 'lapsed', 0, NULL, NULL, 11, '{}', '{}', 1, 1, 11)`,
  ).run();
  migrate(db, () => undefined);
  const { valueSince } = swapsTable(db);
  expect([valueSince(unix(0), ['m']), valueSince(unix(9), ['m']), valueSince(unix(10), ['m'])]).toEqual([12n, 12n, 7n]);
  db.close();
});
