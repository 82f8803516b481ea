import { beforeEach, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import type { ExitTransaction } from '../../engine/store/exits.ts';
import type { Store } from '../../engine/store/store.ts';
import { openStore } from './support.ts';

let store: Store;
beforeEach(() => {
  ({ store } = openStore());
});

const root: Outpoint = { txid: '00'.repeat(32), vout: 1 };
const ids = { tree: '11'.repeat(32), left: '22'.repeat(32), right: '33'.repeat(32) };
const script = new Uint8Array(34).fill(7);

function transaction(txid: string, ...parents: Outpoint[]): ExitTransaction {
  return { txid, parents, bytes: Uint8Array.of(Number.parseInt(txid.slice(0, 2), 16)) };
}

function save(coin: Outpoint, transactions: ExitTransaction[]): void {
  store.exits.save(
    { outpoint: coin, amount: sats(1_000), script },
    { transactions, roots: [{ outpoint: root, amount: sats(5_000), script }] },
    unix(9),
  );
}

const left: Outpoint = { txid: ids.left, vout: 0 };
const right: Outpoint = { txid: ids.right, vout: 0 };

beforeEach(() => {
  const tree = transaction(ids.tree, root);
  save(left, [tree, transaction(ids.left, { txid: ids.tree, vout: 0 })]);
  save(right, [transaction(ids.right, { txid: ids.tree, vout: 1 })]);
});

test('a way is what was saved of it for any coin, each transaction after what it spends', () => {
  expect([store.exits.path(right), store.exits.at(script).length, store.exits.expiresAt(right)]).toEqual([
    {
      coin: right,
      amount: 1_000n,
      script,
      roots: [{ outpoint: root, amount: 5_000n, script }],
      transactions: [Uint8Array.of(0x11), Uint8Array.of(0x33)],
    },
    2,
    9,
  ]);
});

test('what another coin hangs on outlives the coin that is dropped, and nothing else does', () => {
  store.exits.forget(left);
  store.exits.prune();
  const after = [ids.tree, ids.left, ids.right].map((txid) => store.exits.transaction(txid) !== null);
  const way = store.exits.path(right)?.transactions.length;
  store.exits.forget(right);
  store.exits.prune();
  expect([after, way, store.exits.transaction(ids.tree), store.exits.root(root), store.exits.path(left)]).toEqual([
    [true, false, true],
    2,
    null,
    null,
    null,
  ]);
});
