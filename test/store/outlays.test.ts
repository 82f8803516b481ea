import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { openStore, swapRow } from './support.ts';

const at = 1_760_000_000;
const day = 86_400;
const network = 'evm:137';
const outlay = (swap: string, amount: number, place = '1') => ({ swap, network, place, amount: sats(amount) }) as const;
const stranger = (...clients: string[]) => ({ clients, paidBefore: false });
const payer = (...clients: string[]) => ({ clients, paidBefore: true });
const sums = (all: number, strangers = all) => ({ all: BigInt(all), strangers: BigInt(strangers) });

test('what is spent is counted by network, by every name of its client, and by whether it paid before', () => {
  const { outlays } = openStore().store;
  outlays.put(outlay('a', 5), stranger('address:1', 'account:x'), at);
  outlays.put(outlay('b', 7), payer('address:1', 'account:y'), at);
  outlays.put({ ...outlay('b', 100), network: 'bitcoin' }, payer(), at);
  expect([
    outlays.since(network, at - 1),
    outlays.sinceOf('address:1', network, at - 1),
    outlays.sinceOf('account:y', network, at - 1),
    outlays.since('bitcoin', at - 1),
    outlays.since(network, at),
  ]).toEqual([sums(12, 5), sums(12, 5), sums(7, 0), sums(100, 0), sums(0)]);
});

test('one place counts once: with what was signed last, then with what it came to', () => {
  const { outlays } = openStore().store;
  outlays.put(outlay('a', 5), stranger(), at);
  outlays.put(outlay('a', 9), stranger(), at + 10);
  outlays.put(outlay('a', 4, '2'), stranger(), at);
  expect([outlays.since(network, 0), outlays.since(network, at)]).toEqual([sums(13), sums(0)]);
  outlays.cost(outlay('a', 3));
  outlays.cost(outlay('nobody', 1_000));
  outlays.drop({ swap: 'a', network, place: '2' });
  expect(outlays.since(network, 0)).toEqual(sums(3));
});

test('a swap that brings its fee leaves the account, also one whose end nobody was told of', () => {
  const { store, db } = openStore();
  const { outlays } = store;
  for (const id of ['a', 'b', 'c']) outlays.put(outlay(id, 1), stranger('address:1'), at);
  store.swaps.insert(swapRow({ id: 'b', status: 'serverredeemed' }));
  outlays.forget('a');
  outlays.forgetPaid();
  expect(outlays.sinceOf('address:1', network, 0)).toEqual(sums(1));
  expect(db.prepare(`SELECT swap_id FROM outlay_clients`).pluck().all()).toEqual(['c']);
});

test('what no ceiling counts any more is not kept', () => {
  const { store, db } = openStore();
  store.outlays.put(outlay('old', 1), stranger('address:1'), at);
  store.outlays.put(outlay('new', 1), stranger('address:2'), at + 3 * day);
  expect(db.prepare(`SELECT swap_id FROM outlays UNION SELECT swap_id FROM outlay_clients`).pluck().all()).toEqual([
    'new',
  ]);
});
