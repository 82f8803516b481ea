import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { btcOn } from '../../engine/domain/money.ts';
import { migrate, migrations } from '../../engine/store/migrate.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { transactionsTable } from '../../engine/store/transactions.ts';
import { openStore } from './support.ts';

const row = { ...btcOn('bitcoin'), subject: 'a', leg: 'bitcoin', purpose: 'fund', inputs: [] } as const;
const maker = { txid: 'mm', bytes: Uint8Array.of(7, 8) };

test('what made the coins of a payment is there until the last payment with one of them is final', () => {
  const {
    store: { transactions },
    db,
  } = openStore();
  transactions.insert({ ...row, txid: 'aa', bytes: Uint8Array.of(1), makers: [maker] }, 1);
  transactions.insert({ ...row, txid: 'bb', bytes: Uint8Array.of(2), makers: [maker] }, 1);
  expect([transactions.maker('mm'), transactions.maker('aa')]).toEqual([maker.bytes, null]);
  expect(db.prepare(`SELECT sealed FROM makers LIMIT 1`).pluck().get()).not.toEqual(Buffer.from(maker.bytes));
  transactions.close('aa', 'final', 2);
  transactions.close('bb', 'dead', 2);
  expect(transactions.maker('mm')).toEqual(maker.bytes);
  // Given up, and prepared once more.
  transactions.insert({ ...row, txid: 'bb', bytes: Uint8Array.of(2), makers: [maker] }, 3);
  transactions.close('bb', 'final', 4);
  expect(transactions.maker('mm')).toBeNull();
});

test('a database from before what made coins was saved goes on with it', () => {
  const db = new Database(':memory:');
  migrate(db, () => undefined, migrations.slice(0, 9));
  db.prepare(
    `INSERT INTO transactions (txid, network, asset, subject, leg, purpose, state, created_at, updated_at)
     VALUES ('aa', 'bitcoin', 'btc', 'a', 'bitcoin', 'fund', 'accepted', 1, 1)`,
  ).run();
  migrate(db, () => undefined);
  const transactions = transactionsTable(db, createSealer(new Uint8Array(32).fill(1)));
  transactions.insert({ ...row, txid: 'bb', bytes: Uint8Array.of(2), makers: [maker] }, 2);
  expect([transactions.byId('aa')?.state, transactions.maker('mm')]).toEqual(['accepted', maker.bytes]);
  db.close();
});
