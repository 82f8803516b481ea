import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrate, migrations, schemaVersion } from '../../engine/store/migrate.ts';
import { bindNetwork, openDatabase } from '../../engine/store/open.ts';
import { outlaysTable } from '../../engine/store/outlays.ts';
import { takerSwapsTable } from '../../engine/store/taker-swaps.ts';
import { newFolder, openStore } from './support.ts';

function at(version: number): Database.Database {
  const db = new Database(':memory:');
  migrate(db, () => undefined, version);
  return db;
}

function tables(db: Database.Database): unknown[] {
  return db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .pluck()
    .all();
}

test('001 makes every table of the node, each of them strict', () => {
  const db = at(1);
  expect(tables(db)).toEqual([
    'counters',
    'developer_keys',
    'effects',
    'hashes',
    'journal',
    'ledger',
    'meta',
    'preimages',
    'reservations',
    'reserved_coins',
    'settings',
    'swaps',
    'transactions',
  ]);
  expect(
    db
      .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'`)
      .all(),
  ).toEqual([]);
});

test('002 counts what was tried before it as begun, and nothing else', () => {
  const db = at(1);
  const insert = db.prepare(`INSERT INTO effects (subject, body, attempts, due) VALUES (?, '{}', ?, 0)`);
  insert.run('waited', 0);
  insert.run('tried', 3);
  migrate(db, () => undefined, 2);
  expect(db.prepare(`SELECT subject, begun FROM effects ORDER BY id`).all()).toEqual([
    { subject: 'waited', begun: 0 },
    { subject: 'tried', begun: 1 },
  ]);
});

test('003 takes what is owed for asked for once', () => {
  const db = at(2);
  db.prepare(`INSERT INTO effects (subject, body, attempts, due) VALUES ('owed', '{}', 3, 7)`).run();
  migrate(db, () => undefined, 3);
  expect(db.prepare(`SELECT subject, attempts, due, asked FROM effects`).all()).toEqual([
    { subject: 'owed', attempts: 3, due: 7, asked: 0 },
  ]);
});

test('004 notes what was begun before it: payments by their effects, and invoices by their swaps', () => {
  const db = at(3);
  const swap = db.prepare(
    `INSERT INTO swaps (id, machine, created_at, updated_at, version, status, at, open, value_sats, terms, progress) VALUES (?, ?, 0, 0, 0, '', ?, 1, 0, '{}', '{}')`,
  );
  const hash = db.prepare(`INSERT INTO hashes (hash160, swap_id) VALUES (?, ?)`);
  const effect = db.prepare(`INSERT INTO effects (subject, body, due, begun) VALUES (?, '{}', 0, ?)`);
  for (const [id, state] of [
    ['told', 'pending'],
    ['cancelling', 'abandoning'],
    ['young', 'opening'],
  ] as const) {
    swap.run(id, 'lightning-arkade', state);
    hash.run(Buffer.from(id), id);
  }
  swap.run('payout', 'arkade-lightning', 'funded');
  hash.run(Buffer.from('payout'), 'payout');
  for (const [subject, begun] of [
    ['payout', 1],
    ['payout', 1],
    ['waits', 0],
    ['job', 1],
  ] as const)
    effect.run(subject, begun);
  migrate(db, () => undefined, 4);
  expect(
    db.prepare(`SELECT act, subject, CAST(hash160 AS TEXT) AS hash FROM intents ORDER BY act, subject`).all(),
  ).toEqual([
    { act: 'invoice', subject: 'told', hash: 'told' },
    { act: 'payment', subject: 'job', hash: null },
    { act: 'payment', subject: 'payout', hash: null },
  ]);
});

test('005 leaves every swap whole, and knows which of them may be cut', () => {
  const db = at(4);
  const insert = db.prepare(
    `INSERT INTO swaps (id, machine, created_at, updated_at, version, status, at, open, value_sats, terms, progress) VALUES (?, 'arkade-lightning', 1, 1, 0, 'expired', ?, ?, 1, '{}', '{}')`,
  );
  insert.run('never funded', 'lapsed', 0);
  insert.run('done', 'claimed', 0);
  insert.run('open', 'pending', 1);
  migrate(db, () => undefined, 5);
  const plan = db
    .prepare(
      `EXPLAIN QUERY PLAN SELECT * FROM swaps WHERE open = 0 AND reduced = 0 AND at IN ('lapsed', 'expired', 'unopened') AND created_at < 9 ORDER BY created_at, id LIMIT 40`,
    )
    .all() as { detail: string }[];
  expect([db.prepare(`SELECT DISTINCT reduced FROM swaps`).pluck().all(), plan.map(({ detail }) => detail)]).toEqual([
    [0],
    [expect.stringContaining('swaps_reducible')],
  ]);
});

test('006 adds the record of our own coins, and touches nothing else', () => {
  const db = at(5);
  const before = tables(db);
  db.prepare(`INSERT INTO settings (key, value) VALUES ('kept', '1')`).run();
  migrate(db, () => undefined, 6);
  expect([
    tables(db).filter((name) => !before.includes(name)),
    db.prepare(`SELECT value FROM settings`).pluck().all(),
    db.prepare(`SELECT strict FROM pragma_table_list WHERE name = 'own_coins'`).pluck().get(),
  ]).toEqual([['own_coins'], ['1'], 1]);
});

test('007 keeps every intent, and takes one for a refund that was signed', () => {
  const db = at(6);
  const insert = (act: string) =>
    db.prepare(`INSERT INTO intents (act, subject, hash160) VALUES (?, 'a', X'01')`).run(act);
  for (const act of ['invoice', 'payment']) insert(act);
  expect(() => insert('refund')).toThrow(/CHECK/);
  migrate(db, () => undefined, 7);
  insert('refund');
  const index = db.prepare(`SELECT count(*) FROM sqlite_master WHERE name = 'intents_hash'`).pluck().get();
  expect([
    db.prepare(`SELECT act FROM intents WHERE subject = 'a' AND hash160 = X'01' ORDER BY act`).pluck().all(),
    index,
  ]).toEqual([['invoice', 'payment', 'refund'], 1]);
});

test('008 takes terms, progress and what is owed for the first form of each', () => {
  const db = at(7);
  db.prepare(
    `INSERT INTO swaps (id, machine, created_at, updated_at, version, status, at, open, value_sats, terms, progress) VALUES ('a', 'arkade-lightning', 1, 1, 4, 'pending', 'pending', 1, 1, '{}', '{}')`,
  ).run();
  db.prepare(`INSERT INTO effects (subject, body, due) VALUES ('a', '{}', 0)`).run();
  migrate(db, () => undefined, 8);
  expect([
    db.prepare(`SELECT version, terms_version, progress_version FROM swaps`).get(),
    db.prepare(`SELECT version FROM effects`).get(),
  ]).toEqual([{ version: 4, terms_version: 1, progress_version: 1 }, { version: 1 }]);
});

test('009 says of every amount what it is counted in, and loses none', () => {
  const db = at(8);
  db.pragma('foreign_keys = ON');
  const swap = db.prepare(
    `INSERT INTO swaps (id, machine, created_at, updated_at, version, status, at, open, value_sats, terms, progress) VALUES (?, ?, 1, 1, 0, '', '', 1, 1, '{}', '{}')`,
  );
  swap.run('swap', 'lightning-arkade');
  swap.run('job', 'withdraw-bitcoin');
  const made = db.prepare(
    `INSERT INTO transactions (txid, subject, purpose, state, sealed, created_at, updated_at) VALUES (?, ?, 'claim', 'accepted', X'01', 3, 4)`,
  );
  made.run('aa', 'swap');
  made.run('bb', 'job');
  made.run('cc', 'swap');
  db.prepare(`INSERT INTO reserved_coins (outpoint, txid) VALUES ('coin:0', 'bb')`).run();
  const effect = db.prepare(`INSERT INTO effects (subject, body, due) VALUES ('swap', ?, 0)`);
  effect.run('{"do":"chain.broadcast","txid":"cc"}');
  effect.run('{ cut off');
  db.prepare(
    `INSERT INTO reservations (swap_id, network, sats) VALUES ('swap', 'lightning-in', 2100000000000000)`,
  ).run();
  const line = db.prepare(`INSERT INTO ledger (id, subject, time, kind, amount_msat) VALUES (?, 'swap', ?, ?, ?)`);
  line.run(4, 9, 'lightning-fee-paid', -1_100);
  line.run(7, 8, 'fee-raise-paid', -5_000);
  line.run(8, 8, 'protocol-fee', 250_000);
  migrate(db, () => undefined, 9);
  expect({
    transactions: db
      .prepare(`SELECT txid, network, asset, subject, state, sealed, replaces, nonce, created_at FROM transactions`)
      .raw()
      .all(),
    coins: db.prepare(`SELECT outpoint, txid FROM reserved_coins`).raw().all(),
    reservations: db.prepare(`SELECT network, asset, amount FROM reservations`).raw().all(),
    ledger: db.prepare(`SELECT id, time, kind, network, asset, amount FROM ledger ORDER BY id`).raw().all(),
    foreign: db.pragma('foreign_key_check'),
  }).toEqual({
    transactions: [
      ['aa', 'arkade', 'btc', 'swap', 'accepted', Buffer.of(1), null, null, 3],
      ['bb', 'bitcoin', 'btc', 'job', 'accepted', Buffer.of(1), null, null, 3],
      ['cc', 'bitcoin', 'btc', 'swap', 'accepted', Buffer.of(1), null, null, 3],
    ],
    coins: [['coin:0', 'bb']],
    reservations: [['lightning-in', 'btc', '2100000000000000000']],
    ledger: [
      [4, 9, 'lightning-fee-paid', 'lightning', 'btc', '-1100'],
      [7, 8, 'fee-raise-paid', 'bitcoin', 'btc', '-5000'],
      [8, 8, 'protocol-fee', 'arkade', 'btc', '250000'],
    ],
    foreign: [],
  });
  expect(() => db.prepare(`DELETE FROM transactions WHERE txid = 'bb'`).run()).toThrow(/FOREIGN KEY/);
});

test('010 gives what is owed to the chain, and what was done there, the name of its network', () => {
  const db = at(9);
  const owe = db.prepare(`INSERT INTO effects (subject, body, due) VALUES ('a', ?, 0)`);
  const bodies = [
    '{"do":"chain.broadcast","txid":"00","amount":{"$n":"9007199254740993"},"rate":1.25}',
    '{"do":"bitcoin.send","script":{"$b":"AA=="}}',
    '{"do":"bitcoin.bump","leastRate":3}',
    '{"do":"vhtlc.submit","purpose":"claim"}',
    '{"do":"chain.broadcast", cut off',
  ];
  for (const body of bodies) owe.run(body);
  const write = db.prepare(
    `INSERT INTO journal (subject, time, event, was_at, at, effects) VALUES ('a', 1, ?, 'sending', 'sending', ?)`,
  );
  write.run('chain.stuck', 'bitcoin.bump');
  write.run('send.prepared', 'chain.broadcast vhtlc.exit');
  migrate(db, () => undefined, 10);
  expect([
    db.prepare(`SELECT body FROM effects ORDER BY id`).pluck().all(),
    db.prepare(`SELECT event, effects FROM journal ORDER BY id`).all(),
  ]).toEqual([
    [
      '{"do":"onchain.broadcast","txid":"00","amount":{"$n":"9007199254740993"},"rate":1.25}',
      '{"do":"onchain.send","script":{"$b":"AA=="}}',
      '{"do":"onchain.bump","leastRate":3}',
      '{"do":"vhtlc.submit","purpose":"claim"}',
      '{"do":"onchain.broadcast", cut off',
    ],
    [
      { event: 'onchain.stuck', effects: 'onchain.bump' },
      { event: 'send.prepared', effects: 'onchain.broadcast vhtlc.exit' },
    ],
  ]);
});

test('011 lets a swap have several nonces, and keeps every transaction with its own', () => {
  const db = at(10);
  db.pragma('foreign_keys = ON');
  db.prepare(`INSERT INTO nonces VALUES ('evm:137', 'a', 4, 'job', 7)`).run();
  const made = db.prepare(
    `INSERT INTO transactions (txid, network, asset, subject, purpose, state, sealed, replaces, account, nonce, created_at, updated_at)
     VALUES (?, ?, 'btc', 'job', 'claim', 'accepted', X'01', ?, ?, ?, 3, 4)`,
  );
  made.run('aa', 'evm:137', null, 'a', 4);
  made.run('bb', 'evm:137', 'aa', 'a', 4);
  made.run('cc', 'bitcoin', null, null, null);
  db.prepare(`INSERT INTO reserved_coins (outpoint, txid) VALUES ('coin:0', 'cc')`).run();
  const another = `INSERT INTO nonces VALUES ('evm:137', 'a', 5, 'job', 7)`;
  expect(() => db.prepare(another).run()).toThrow(/UNIQUE/);
  migrate(db, () => undefined, 11);
  expect({
    nonces: db.prepare(`SELECT nonce, subject, reserved_at, deadline, value_sats, state FROM nonces`).raw().all(),
    transactions: db.prepare(`SELECT txid, sealed, replaces, nonce, updated_at FROM transactions`).raw().all(),
    coins: db.prepare(`SELECT outpoint, txid FROM reserved_coins`).raw().all(),
    foreign: db.pragma('foreign_key_check'),
  }).toEqual({
    nonces: [[4, 'job', 7, null, '0', 'open']],
    transactions: [
      ['aa', Buffer.of(1), null, 4, 4],
      ['bb', Buffer.of(1), 'aa', 4, 4],
      ['cc', Buffer.of(1), null, null, 4],
    ],
    coins: [['coin:0', 'cc']],
    foreign: [],
  });
  const insert = db.prepare(
    `INSERT INTO nonces (network, account, nonce, subject, purpose, reserved_at, value_sats, state) VALUES ('evm:137', 'a', ?, 'job', 'claim', 8, '1', 'open')`,
  );
  insert.run(5);
  expect(() => insert.run(5)).toThrow(/UNIQUE/);
  expect(() => db.prepare(`DELETE FROM nonces WHERE nonce = 4`).run()).toThrow(/FOREIGN KEY/);
});

test('013 makes room for the list of own swaps, which finds every one of before not listed yet', () => {
  const db = at(12);
  const swap = db.prepare(
    `INSERT INTO swaps (id, machine, created_at, updated_at, version, status, at, open, value_sats, terms, progress) VALUES (?, ?, 1, 1, 4, '', 'done', 0, 1, '{}', '{}')`,
  );
  swap.run('own', 'take-arkade-lightning');
  swap.run('of a client', 'arkade-lightning');
  migrate(db, () => undefined, 13);
  expect([
    takerSwapsTable(db).staleAfter('', 10),
    db.prepare(`SELECT count(*) FROM taker_swaps`).pluck().get(),
    db.prepare(`SELECT name FROM pragma_table_list WHERE name LIKE 'taker%' AND strict = 0`).all(),
  ]).toEqual([['own'], 0, []]);
});

test('014 makes room for what swaps cost that bring no fee', () => {
  const db = at(14);
  const { paid, hasPaid } = outlaysTable(db);
  paid('account:aa', 7);
  expect([hasPaid('account:aa'), hasPaid('account:bb')]).toEqual([true, false]);
});

test('each migration has a test here', () => {
  expect(migrations.length).toBe(14);
});

test('a database of a newer build is refused with what to do', () => {
  const db = at(migrations.length);
  db.pragma(`user_version = ${migrations.length + 1}`);
  expect(() => migrate(db, () => undefined)).toThrow(
    `The database has schema ${migrations.length + 1}, this build knows up to ${migrations.length}: start a newer Sluice, or restore an older backup.`,
  );
});

test('before an existing database is changed it is copied, whole, and once', () => {
  const folder = newFolder();
  const old = new Database(join(folder, 'sluice.db'));
  old.pragma('journal_mode = WAL');
  migrate(old, () => undefined, 1);
  old.prepare(`INSERT INTO settings (key, value) VALUES ('kept', '1')`).run();
  old.close();
  const db = openDatabase(folder);
  const copy = new Database(join(folder, 'sluice.db.schema-1.bak'), { readonly: true });
  expect({
    now: schemaVersion(db),
    copied: schemaVersion(copy),
    kept: copy.prepare(`SELECT value FROM settings`).pluck().all(),
  }).toEqual({ now: migrations.length, copied: 1, kept: ['1'] });
  copy.close();
  db.close();
});

test('a new database needs no copy', () => {
  const { folder } = openStore();
  expect(existsSync(join(folder, 'sluice.db.schema-0.bak'))).toBe(false);
});

test('a migration that fails leaves the database at the step before', () => {
  const db = at(1);
  db.exec(`ALTER TABLE effects ADD COLUMN begun INTEGER`);
  expect(() => migrate(db, () => undefined, 2)).toThrow();
  expect(schemaVersion(db)).toBe(1);
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
