import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { relayToCome } from '../../engine/store/outlays.ts';
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

test('a swap that brings what it cost leaves the account; one whose end nobody was told of is named', () => {
  const { store, db } = openStore();
  const { outlays } = store;
  for (const id of ['a', 'b', 'c']) outlays.put(outlay(id, 1), stranger('address:1'), at);
  store.swaps.insert(swapRow({ id: 'b', status: 'serverredeemed' }));
  outlays.brought('a', sats(1));
  expect([outlays.sinceOf('address:1', network, 0), outlays.endedWell()]).toEqual([sums(2), ['b']]);
  outlays.brought('b', sats(1));
  expect([outlays.sinceOf('address:1', network, 0), outlays.endedWell()]).toEqual([sums(1), []]);
  expect(db.prepare(`SELECT swap_id FROM outlay_clients`).pluck().all()).toEqual(['c']);
});

test('fault 261, evm: what a swap cost beyond what it brought stays counted, for its client and its day', () => {
  const { outlays } = openStore().store;
  for (const [i, nonce] of ['1', '2', '3'].entries())
    outlays.put(outlay('a', 400, nonce), stranger('account:x'), at + i);
  outlays.put(outlay('a', 5_000, relayToCome), stranger('account:x'), at);
  outlays.brought('a', sats(20));
  const counted = (from = 0) => [outlays.since(network, from), outlays.sinceOf('account:x', network, from)];
  expect(counted()).toEqual([sums(1_180), sums(1_180)]);
  // As old as the oldest of it: what is left of the others is never less than they cost.
  expect([counted(at), outlays.endedWell()]).toEqual([[sums(800), sums(800)], []]);
  outlays.cost(outlay('a', 100, '3'));
  expect(counted()).toEqual([sums(880), sums(880)]);
  for (const nonce of ['1', '2', '3']) outlays.cost(outlay('a', 6, nonce));
  expect(counted()).toEqual([sums(0), sums(0)]);
});

test('what a swap brought is taken off once, whatever networks it cost something on', () => {
  const { outlays } = openStore().store;
  outlays.put(outlay('a', 50), payer('account:x'), at);
  outlays.put({ ...outlay('a', 100), network: 'bitcoin' }, stranger('account:x'), at);
  outlays.brought('a', sats(120));
  expect([outlays.since('bitcoin', 0), outlays.since(network, 0)]).toEqual([sums(0), sums(30, 0)]);
  outlays.put(outlay('a', 25, '2'), payer('account:x'), at + 5);
  expect([outlays.since('bitcoin', 0), outlays.since(network, 0)]).toEqual([sums(0), sums(55, 0)]);
});

test('a swap is left out of the sums where it is not to be held against itself', () => {
  const { outlays } = openStore().store;
  outlays.put(outlay('a', 5), stranger('address:1'), at);
  outlays.put(outlay('b', 7), stranger('address:1'), at);
  expect([outlays.since(network, 0, 'a'), outlays.sinceOf('address:1', network, 0, 'b')]).toEqual([sums(7), sums(5)]);
  expect(['a', 'c'].map((swap) => outlays.of({ swap, network, place: '1' }))).toEqual([5n, null]);
});

test('what no ceiling counts any more is not kept', () => {
  const { store, db } = openStore();
  store.outlays.put(outlay('old', 1), stranger('address:1'), at);
  store.outlays.put(outlay('new', 1), stranger('address:2'), at + 3 * day);
  expect(db.prepare(`SELECT swap_id FROM outlays UNION SELECT swap_id FROM outlay_clients`).pluck().all()).toEqual([
    'new',
  ]);
});
