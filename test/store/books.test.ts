import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { accountPlan, resultKinds, walletKinds, type LedgerKind } from '../../engine/domain/accounts.ts';
import { btc, btcOn, type Asset, type Money } from '../../engine/domain/money.ts';
import { ownBatchesTable } from '../../engine/store/book-coins.ts';
import { migrate, migrations } from '../../engine/store/migrate.ts';
import { ledgerTable, type AccountBalance } from '../../engine/store/ledger.ts';
import { openStore, swapRow } from './support.ts';

const kinds = [...(Object.keys(resultKinds) as LedgerKind[]), ...walletKinds];
const wei: Asset = { network: 'evm:137', asset: `0x${'0'.repeat(40)}` };

function sumsOf(balances: readonly AccountBalance[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { network, asset, amount } of balances) {
    const key = `${network} ${asset}`;
    sums.set(key, (sums.get(key) ?? 0n) + amount);
  }
  return sums;
}

describe('every kind of line', () => {
  const machines = ['lightning-arkade', 'take-evm-bitcoin', 'withdraw-bitcoin', 'consolidate-bitcoin', null];
  const cases = kinds.flatMap((kind) => machines.map((machine) => ({ kind, machine })));

  test.each(cases)('$kind of $machine leaves the accounts of an asset at zero, up and down', ({ kind, machine }) => {
    const { store } = openStore();
    if (machine !== null) store.swaps.insert(swapRow({ id: 'one', machine }));
    for (const amount of [5n, -7n, 10n ** 19n]) {
      store.ledger.write('one', 1, kind, { ...wei, amount });
      expect([...sumsOf(store.ledger.balances()).values()]).toEqual([0n]);
    }
    const [line] = store.ledger.linesOf('one');
    expect(line?.ends?.to === 'wallet').toBe((walletKinds as readonly string[]).includes(kind));
    expect(store.ledger.balance(wei, line!.ends!.to)).toBe(10n ** 19n - 2n);
    expect(store.ledger.balance(wei, line!.ends!.from)).toBe(2n - 10n ** 19n);
    expect(Object.keys(accountPlan)).toEqual(expect.arrayContaining([line!.ends!.from, line!.ends!.to]));
  });

  test('is booked to whoever caused it', () => {
    const { store } = openStore();
    const causes = machines.map((machine, i) => {
      const id = `swap ${i}`;
      if (machine !== null) store.swaps.insert(swapRow({ id, machine }));
      store.ledger.write(id, 1, 'moved', btc('bitcoin', -3n));
      return [machine, store.ledger.linesOf(id)[0]?.ends?.to];
    });
    expect(causes).toEqual([
      ['lightning-arkade', 'clearing'],
      ['take-evm-bitcoin', 'own-swaps'],
      ['withdraw-bitcoin', 'owner'],
      ['consolidate-bitcoin', 'clearing'],
      [null, 'clearing'],
    ]);
  });
});

test('what a swap took, gave and earned leaves nothing in clearing', () => {
  const { store } = openStore();
  store.swaps.insert(swapRow({ id: 'one', machine: 'bitcoin-arkade' }));
  const book = (kind: LedgerKind, money: Money) => store.ledger.write('one', 1, kind, money);
  book('moved', btc('arkade', -100_000n)); // the lock
  book('moved', btc('bitcoin', 100_400n - 150n)); // the claim, less its fee
  book('network-fee-paid', btc('bitcoin', -150n));
  book('protocol-fee', btc('bitcoin', 250n));
  book('network-fee-charged', btc('bitcoin', 150n));
  const clearing = store.ledger.balances().filter(({ account }) => account === 'clearing');
  expect(clearing.map(({ network, amount }) => [network, amount])).toEqual([
    ['arkade', 100_000_000n],
    ['bitcoin', -100_000_000n],
  ]);
  expect(store.ledger.balance(btcOn('bitcoin'), 'wallet')).toBe(100_250_000n);
});

test('moves of a wallet are no income: they are in the books alone', () => {
  const { store } = openStore();
  store.ledger.write('a', 1, 'opening', btc('arkade', 9n));
  store.ledger.write('a', 2, 'moved', btc('arkade', -4n), 'ab'.repeat(32));
  store.ledger.write('a', 3, 'deposit', btc('arkade', 5n));
  store.ledger.write('a', 4, 'write-off', btc('arkade', -1n), 'counted twice');
  store.ledger.write('a', 5, 'protocol-fee', btc('arkade', 2n));
  const all = { from: 0, to: 9, afterId: 0, limit: 9 };
  const results = ['write-off', 'protocol-fee'];
  expect(store.ledger.of('a').map(({ kind }) => kind)).toEqual(results);
  expect(store.ledger.page(all).map(({ kind }) => kind)).toEqual(results);
  expect(store.ledger.after(0, 9).map(({ kind }) => kind)).toEqual(results);
  expect(store.ledger.lines(all).map(({ kind, note }) => [kind, note])).toEqual([
    ['opening', null],
    ['moved', 'ab'.repeat(32)],
    ['deposit', null],
    ['write-off', 'counted twice'],
    ['protocol-fee', null],
  ]);
  expect(store.ledger.balance(btcOn('arkade'), 'wallet')).toBe(9_000n);
});

test('a commit that is undone takes its balances back', () => {
  const { store } = openStore();
  store.ledger.write('a', 1, 'deposit', btc('arkade', 9n));
  expect(() =>
    store.atomically(() => {
      store.ledger.write('a', 1, 'deposit', btc('arkade', 1n));
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(store.ledger.balance(btcOn('arkade'), 'wallet')).toBe(9_000n);
});

test('a database of before keeps its lines, and its accounts begin with the next', () => {
  const db = new Database(':memory:');
  migrate(db, () => undefined, migrations.slice(0, 1));
  db.prepare(
    `INSERT INTO ledger (subject, time, kind, network, asset, amount) VALUES ('old', 1, 'protocol-fee', 'arkade', 'btc', '9000')`,
  ).run();
  migrate(db, () => undefined);
  const ledger = ledgerTable(db);
  expect(ledger.balances()).toEqual([]);
  ledger.write('new', 2, 'protocol-fee', btc('arkade', 2n));
  expect(ledger.lines({ from: 0, to: 9, afterId: 0, limit: 9 }).map(({ subject, ends }) => [subject, ends])).toEqual([
    ['old', null],
    ['new', { from: 'fees-earned', to: 'clearing' }],
  ]);
  expect(ledger.balances().map(({ account, amount }) => [account, amount])).toEqual([
    ['clearing', 2_000n],
    ['fees-earned', -2_000n],
  ]);
});

test('a line with one side, or with the same on both, is refused by the database itself', () => {
  const { db } = openStore();
  const insert = (source: string | null, target: string | null) =>
    db
      .prepare(
        `INSERT INTO ledger (subject, time, kind, network, asset, amount, source, target) VALUES ('a', 1, 'k', 'arkade', 'btc', '1', ?, ?)`,
      )
      .run(source, target);
  expect(() => insert('wallet', null)).toThrow(/CHECK/);
  expect(() => insert(null, 'wallet')).toThrow(/CHECK/);
  expect(() => insert('wallet', 'wallet')).toThrow(/CHECK/);
  insert('wallet', 'owner');
});

test('a batch of a database from before is ours, and took nothing that was written down', () => {
  const db = new Database(':memory:');
  migrate(db, () => undefined, migrations.slice(0, 6));
  db.prepare(`INSERT INTO own_batches (txid, subject) VALUES ('aa', 'renewal 1')`).run();
  migrate(db, () => undefined);
  const table = ownBatchesTable(db);
  const coin = { txid: 'cc', vout: 1 };
  expect([table.subjectOf('aa'), table.took('aa', 'cc:1')]).toEqual(['renewal 1', false]);
  table.note('bb', 'renewal 2', [coin]);
  table.note('bb', 'renewal 2', [coin]);
  expect([table.took('bb', 'cc:1'), table.took('bb', 'cc:0'), table.took('aa', 'cc:1')]).toEqual([true, false, false]);
  db.close();
});
