import { describe, expect, test } from 'vitest';
import { btc, btcOn, type Asset, type Money } from '../../engine/domain/money.ts';
import { openStore } from './support.ts';

const ether: Asset = { network: 'evm:137', asset: `0x${'0'.repeat(40)}` };
const tokenElsewhere: Asset = { network: 'evm:1', asset: ether.asset };
const tenEther: Money = { ...ether, amount: 10n ** 19n };
const txid = (digit: string) => digit.repeat(64);

describe('amounts beyond 64 bits', () => {
  test('are promised, and never added to another asset or network', () => {
    const { folder, db, store } = openStore();
    store.reservations.hold('a', tenEther);
    store.reservations.hold('b', { ...tenEther, amount: 1n });
    store.reservations.hold('b', { ...tokenElsewhere, amount: 7n });
    store.reservations.hold('b', btc('arkade', 3n));
    db.close();
    const again = openStore(folder).store.reservations;
    const before = [again.total(ether), again.total(tokenElsewhere), again.total(btcOn('arkade')), again.totals()];
    again.release('b');
    expect([before, again.total(ether), again.total(tokenElsewhere), again.totals()]).toEqual([
      [10n ** 19n + 1n, 7n, 3_000n, new Map([['arkade', 3n]])],
      10n ** 19n,
      0n,
      new Map(),
    ]);
  });

  test('stand in the ledger as they are, and are added up by asset', () => {
    const { store } = openStore();
    store.ledger.write('a', 5, 'network-fee-paid', { ...tenEther, amount: -tenEther.amount });
    store.ledger.write('a', 6, 'network-fee-paid', { ...ether, amount: -1n });
    store.ledger.write('a', 6, 'network-fee-paid', btc('bitcoin', -300n));
    expect([
      store.ledger.of('a').map(({ network, amount }) => [network, amount]),
      store.ledger.totalSince('network-fee-paid', ether, 4),
      store.ledger.totalSince('network-fee-paid', ether, 5),
      store.ledger.totalSince('network-fee-paid', btcOn('bitcoin'), 4),
    ]).toEqual([
      [
        ['evm:137', -(10n ** 19n)],
        ['evm:137', -1n],
        ['bitcoin', -300_000n],
      ],
      -(10n ** 19n) - 1n,
      -1n,
      -300_000n,
    ]);
  });
});

describe('nonces', () => {
  const account = `0x${'a1'.repeat(20)}`;
  const wanted = { network: 'evm:137', account, from: 4 } as const;
  const inOrder = { network: 'evm:137', account } as const;

  test('are given in order, the same one again to a job that died in between', () => {
    const { folder, db, store } = openStore();
    const first = store.nonces.reserve({ ...wanted, subject: 'job:1' }, 1);
    const second = store.nonces.reserve({ ...wanted, subject: 'job:2' }, 2);
    expect(() =>
      store.atomically(() => {
        store.nonces.reserve({ ...wanted, subject: 'job:3' }, 3);
        throw new Error('power cut');
      }),
    ).toThrow('power cut');
    db.close();
    const { nonces } = openStore(folder).store;
    expect([
      first.nonce,
      second.nonce,
      nonces.reserve({ ...wanted, from: 9, subject: 'job:1' }, 4).nonce,
      nonces.reserve({ ...wanted, subject: 'job:4' }, 5).nonce,
      nonces.reserve({ ...wanted, network: 'evm:1', subject: 'job:1' }, 6).nonce,
      nonces.reserve({ ...wanted, from: 9, subject: 'job:5' }, 7).nonce,
    ]).toEqual([4, 5, 4, 6, 4, 9]);
  });

  test('belong to one job each, whoever writes', () => {
    const { db, store } = openStore();
    store.nonces.reserve({ ...wanted, subject: 'job:1' }, 1);
    const insert = db.prepare(`INSERT INTO nonces VALUES ('evm:137', ?, ?, ?, 1)`);
    expect(() => insert.run(account, 4, 'job:2')).toThrow(/UNIQUE/);
    expect(() => insert.run(account, 5, 'job:1')).toThrow(/UNIQUE/);
  });

  test('that was freed unused leaves no gap', () => {
    const { nonces } = openStore().store;
    for (const subject of ['job:1', 'job:2']) nonces.reserve({ ...wanted, subject }, 1);
    const freed = ['job:1', 'job:1'].map((subject) => nonces.free({ ...inOrder, subject }));
    const next = ['job:3', 'job:4'].map((subject) => nonces.reserve({ ...wanted, subject }, 2).nonce);
    expect([freed, next]).toEqual([
      [true, false],
      [4, 6],
    ]);
  });

  test('carry every variant of their transaction, and are not freed once one was signed', () => {
    const { store } = openStore();
    const nonce = store.nonces.reserve({ ...wanted, subject: 'job:1' }, 1);
    const variant = { ...ether, subject: 'job:1', purpose: 'send', bytes: Uint8Array.of(1), inputs: [], nonce };
    store.transactions.insert({ ...variant, txid: txid('1') }, 1);
    const replaces = store.transactions.standing('job:1', 'evm:137');
    store.transactions.insert({ ...variant, txid: txid('2'), replaces }, 2);
    store.transactions.close(txid('1'), 'dead', 3);
    expect([
      store.transactions.onNonce(nonce).map((row) => [row.txid, row.replaces, row.state]),
      store.transactions.standing('job:1', 'bitcoin'),
      store.nonces.free({ ...inOrder, subject: 'job:1' }),
    ]).toEqual([
      [
        [txid('1'), null, 'dead'],
        [txid('2'), txid('1'), 'prepared'],
      ],
      null,
      false,
    ]);
  });

  test('that nobody reserved carries no transaction', () => {
    const { store } = openStore();
    const loose = { ...ether, txid: txid('1'), subject: 'job:1', purpose: 'send', bytes: Uint8Array.of(1), inputs: [] };
    expect(() => store.transactions.insert({ ...loose, nonce: { ...inOrder, nonce: 4 } }, 1)).toThrow(/FOREIGN KEY/);
  });
});
