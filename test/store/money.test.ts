import { describe, expect, test } from 'vitest';
import { btc, btcOn, sats, type Asset, type Money } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { NonceRow } from '../../engine/store/nonces.ts';
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
  const account = 'a1'.repeat(20);
  const inOrder = { network: 'evm:137', account } as const;
  const row = (nonce: number, change: Partial<NonceRow> = {}) => ({
    ...inOrder,
    nonce,
    subject: 'job:1',
    purpose: 'pay',
    deadline: null,
    value: sats(5),
    takes: null,
    ...change,
  });

  test('are the lowest that nobody has, from the chain on, and a job may have several', () => {
    const { folder, db, store } = openStore();
    for (const nonce of [4, 5, 7]) store.nonces.insert(row(nonce), 1);
    expect(() =>
      store.atomically(() => {
        store.nonces.insert(row(6), 3);
        throw new Error('power cut');
      }),
    ).toThrow('power cut');
    db.close();
    const { nonces } = openStore(folder).store;
    const next = (from: number, network: NonceRow['network'] = 'evm:137') => nonces.next({ ...inOrder, network, from });
    expect([next(4), next(3), next(7), next(9), next(4, 'evm:1')]).toEqual([6, 3, 8, 9, 4]);
  });

  test('are the lowest of what was saved, whatever was undone of a long run', () => {
    const { store } = openStore();
    const next = (): number => store.nonces.next({ ...inOrder, from: 4 });
    const saveNext = (): void => store.nonces.insert(row(next()), 1);
    saveNext();
    saveNext();
    expect(() =>
      store.atomically(() => {
        saveNext();
        saveNext();
        expect(next()).toBe(8);
        throw new Error('power cut');
      }),
    ).toThrow('power cut');
    store.nonces.insert(row(8), 1);
    const between = next();
    saveNext();
    saveNext();
    expect([between, next()]).toEqual([6, 9]);
  });

  test('belong to one transaction each, whoever writes', () => {
    const { store } = openStore();
    store.nonces.insert(row(4), 1);
    expect(() => store.nonces.insert(row(4, { subject: 'job:2' }), 1)).toThrow(/UNIQUE/);
  });

  test('keep what their queue goes by, and what became of them', () => {
    const { folder, db, store } = openStore();
    const takes = { token: 'aa', spender: 'bb', amount: 10n ** 30n };
    store.nonces.insert(row(4, { deadline: unix(9), takes }), 1);
    store.nonces.insert(row(5), 1);
    store.nonces.insert(row(6), 1);
    const mined = { by: txid('1'), ok: false, height: 8, cost: 10n ** 19n, moved: { [ether.asset]: -(10n ** 19n) } };
    store.nonces.mined({ ...inOrder, nonce: 4 }, mined);
    store.nonces.mined({ ...inOrder, nonce: 5 }, mined);
    store.nonces.mined({ ...inOrder, nonce: 5 }, null);
    store.nonces.close({ ...inOrder, nonce: 6 }, 'gone');
    db.close();
    const { nonces } = openStore(folder).store;
    expect([nonces.open('evm:137'), nonces.open('evm:1'), nonces.networks()]).toEqual([
      [
        { ...row(4, { deadline: unix(9), takes }), state: 'open', mined },
        { ...row(5), state: 'open', mined: null },
      ],
      [],
      ['evm:137'],
    ]);
  });

  test('carry every variant of their transaction, whichever is asked for', () => {
    const { store } = openStore();
    const nonce = { ...inOrder, nonce: 4 };
    store.nonces.insert(row(4), 1);
    const variant = {
      ...ether,
      subject: 'job:1',
      leg: 'evm' as const,
      purpose: 'pay',
      bytes: Uint8Array.of(1),
      inputs: [],
      nonce,
    };
    store.transactions.insert({ ...variant, txid: txid('1') }, 1);
    store.transactions.insert({ ...variant, txid: txid('2'), replaces: txid('1') }, 2);
    store.transactions.close(txid('1'), 'dead', 3);
    expect([
      store.transactions.onNonce(nonce).map(({ txid: id, replaces, state }) => [id, replaces, state]),
      [txid('1'), txid('2'), txid('3')].map((id) => store.nonces.ofTransaction(id)?.nonce),
    ]).toEqual([
      [
        [txid('1'), null, 'dead'],
        [txid('2'), txid('1'), 'prepared'],
      ],
      [4, 4, undefined],
    ]);
  });

  test('that nobody reserved carries no transaction', () => {
    const { store } = openStore();
    const loose = {
      ...ether,
      txid: txid('1'),
      subject: 'job:1',
      leg: 'evm' as const,
      purpose: 'send',
      bytes: Uint8Array.of(1),
      inputs: [],
    };
    expect(() => store.transactions.insert({ ...loose, nonce: { ...inOrder, nonce: 4 } }, 1)).toThrow(/FOREIGN KEY/);
  });
});
