import Database from 'better-sqlite3';
import { copyFileSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copiedAt } from '../../engine/store/backup.ts';
import { migrate, migrations, schemaVersion } from '../../engine/store/migrate.ts';
import { bindNetwork, openDatabase } from '../../engine/store/open.ts';
import { newFolder, openStore } from './support.ts';

function fresh(): Database.Database {
  const db = new Database(':memory:');
  migrate(db, () => undefined);
  return db;
}

function tables(db: Database.Database): unknown[] {
  return db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .pluck()
    .all();
}

test('every table is strict', () => {
  expect(
    fresh()
      .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'`)
      .all(),
  ).toEqual([]);
});

test('swaps that may be trimmed are found by their index, however many were done', () => {
  const plan = fresh()
    .prepare(
      `EXPLAIN QUERY PLAN SELECT id FROM swaps WHERE open = 0 AND trimmed = 0 AND at IN ('lapsed', 'unopened') ` +
        'AND created_at < 9 ORDER BY created_at, id LIMIT 40',
    )
    .all() as { detail: string }[];
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('swaps_trimmable')]);
});

test('a swap has several nonces, each nonce one row, and a transaction keeps its own', () => {
  const db = fresh();
  db.pragma('foreign_keys = ON');
  const nonce = db.prepare(
    'INSERT INTO nonces (network, account, nonce, subject, purpose, reserved_at, value_sats, state) VALUES ' +
      `('evm:137', 'a', ?, 'job', 'claim', 8, '1', 'open')`,
  );
  nonce.run(4);
  nonce.run(5);
  expect(() => nonce.run(5)).toThrow(/UNIQUE/);
  db.prepare(
    `INSERT INTO transactions (txid, network, asset, subject, leg, purpose, state, account, nonce, created_at, updated_at)
     VALUES ('aa', 'evm:137', 'btc', 'job', 'evm', 'claim', 'accepted', 'a', 4, 3, 4)`,
  ).run();
  db.prepare(`INSERT INTO reserved_coins (outpoint, txid) VALUES ('coin:0', 'aa')`).run();
  expect(() => db.prepare(`DELETE FROM nonces WHERE nonce = 4`).run()).toThrow(/FOREIGN KEY/);
  expect(() => db.prepare(`DELETE FROM transactions WHERE txid = 'aa'`).run()).toThrow(/FOREIGN KEY/);
});

test('a database of a newer build is refused with what to do', () => {
  const db = fresh();
  db.pragma(`user_version = ${migrations.length + 1}`);
  expect(() => migrate(db, () => undefined)).toThrow(
    `The database has schema ${migrations.length + 1}, this build knows up to ${migrations.length}: start the newer ` +
      'Sluice that wrote it.',
  );
});

test('before an existing database is changed it is copied, whole, and once', () => {
  const { folder, db } = openStore();
  db.prepare(`INSERT INTO settings (key, value) VALUES ('kept', '1')`).run();
  db.close();
  const next = openDatabase(folder, [...migrations, `CREATE TABLE more (a TEXT) STRICT`]);
  const copy = new Database(join(folder, `sluice.db.schema-${migrations.length}.bak`), { readonly: true });
  expect({
    now: schemaVersion(next),
    copied: schemaVersion(copy),
    kept: copy.prepare(`SELECT value FROM settings`).pluck().all(),
  }).toEqual({ now: migrations.length + 1, copied: migrations.length, kept: ['1'] });
  copy.close();
  next.close();
});

/** What the owner finds in place of the database who goes back by the copy. */
function backBy(folder: string, schema: number) {
  const path = join(folder, 'sluice.db');
  renameSync(`${path}.schema-${schema}.bak`, path);
  const db = openDatabase(folder, migrations.slice(0, schema));
  const settings = db.prepare<[], string>(`SELECT value FROM settings`).pluck().all();
  const isCopy = copiedAt(db) !== null;
  db.close();
  return { settings, isCopy };
}

test('fault 293, store: the copy before an upgrade is one over which no log of a killed build is played', () => {
  const { folder, db } = openStore();
  db.prepare(`INSERT INTO settings (key, value) VALUES ('kept', '"before"')`).run();
  db.close();
  const next = openDatabase(folder, [...migrations, `CREATE TABLE more (a TEXT) STRICT`]);
  next.prepare(`UPDATE settings SET value = '"after"'`).run();
  // As a kill leaves it: with its log beside it.
  const killed = newFolder();
  for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(killed, name));
  next.close();
  expect(existsSync(join(killed, 'sluice.db-wal'))).toBe(true);
  expect(backBy(killed, migrations.length)).toEqual({ settings: ['"before"'], isCopy: true });
});

test('fault 293, store: a second upgrade from the same schema copies the database as it is then', () => {
  const { folder, db } = openStore();
  db.prepare(`INSERT INTO settings (key, value) VALUES ('kept', '1')`).run();
  db.close();
  const upgrade = () => openDatabase(folder, [...migrations, `CREATE TABLE more (a TEXT) STRICT`]).close();
  upgrade();
  backBy(folder, migrations.length);
  const again = openDatabase(folder);
  again.prepare(`UPDATE settings SET value = '2'`).run();
  again.close();
  writeFileSync(join(folder, `sluice.db.schema-${migrations.length}.bak`), 'an older one');
  upgrade();
  expect(backBy(folder, migrations.length)).toEqual({ settings: ['2'], isCopy: true });
  expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
});

test('a new database needs no copy', () => {
  const { folder } = openStore();
  expect(existsSync(join(folder, 'sluice.db.schema-0.bak'))).toBe(false);
});

test('a migration that fails leaves the database at the step before', () => {
  const db = fresh();
  const half = `CREATE TABLE more (a TEXT) STRICT; CREATE TABLE settings (key TEXT) STRICT;`;
  expect(() => migrate(db, () => undefined, [...migrations, half])).toThrow(/already exists/);
  expect([schemaVersion(db), tables(db)]).toEqual([migrations.length, tables(fresh())]);
});

test('a commit that returned is on the disk: write-ahead log, full synchronisation, foreign keys', () => {
  const { db } = openStore();
  const pragma = (name: string): unknown => db.pragma(name, { simple: true });
  expect({ journal: pragma('journal_mode'), synchronous: pragma('synchronous'), keys: pragma('foreign_keys') }).toEqual(
    { journal: 'wal', synchronous: 2, keys: 1 },
  );
});

test('a data folder belongs to the network that it was made for', () => {
  const { db } = openStore();
  bindNetwork(db, 'regtest');
  bindNetwork(db, 'regtest');
  expect(() => bindNetwork(db, 'mainnet')).toThrow(
    'This data folder belongs to regtest, the configuration says mainnet: use another folder.',
  );
});
