import type { Database } from 'better-sqlite3';
import { expect, test } from 'vitest';
import { countersTable } from '../../engine/store/counters.ts';
import { intentsTable } from '../../engine/store/intents.ts';
import { openStore } from './support.ts';

/** Notes in a database that deletes nothing while the disk is full. */
function opened() {
  const { db, store } = openStore();
  const disk = { isFull: false };
  const failing = new Proxy(db, {
    get(target, name) {
      if (name !== 'prepare') return bound(target, name);
      return (sql: string) => {
        const statement = target.prepare(sql);
        return sql.startsWith('DELETE')
          ? {
              run(...values: unknown[]) {
                if (disk.isFull) throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
                return statement.run(...values);
              },
            }
          : statement;
      };
    },
  });
  return { disk, saved: store.intents, intents: intentsTable(failing, countersTable(db), () => undefined) };
}

function bound(target: Database, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name);
  return typeof member === 'function' ? (member.bind(target) as unknown) : member;
}

test('fault 202, evm: a call that reached nobody counts as none, though its note cannot be taken away', () => {
  const { disk, saved, intents } = opened();
  for (const subject of ['a', 'b']) intents.note('payment', subject, null);
  disk.isFull = true;
  intents.drop('payment', 'a');
  expect([intents.has('payment', 'a'), intents.has('payment', 'b'), saved.has('payment', 'a')]).toEqual([
    false,
    true,
    true,
  ]);
  disk.isFull = false;
  intents.note('payment', 'c', null);
  expect([saved.has('payment', 'a'), saved.has('payment', 'c')]).toEqual([false, true]);
});

test('fault 202, lightning: one that is made after all counts again', () => {
  const { disk, saved, intents } = opened();
  intents.note('payment', 'a', null);
  disk.isFull = true;
  intents.drop('payment', 'a');
  intents.note('payment', 'a', null);
  disk.isFull = false;
  intents.note('payment', 'b', null);
  expect([intents.has('payment', 'a'), saved.has('payment', 'a')]).toEqual([true, true]);
});
