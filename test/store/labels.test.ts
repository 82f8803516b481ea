import { expect, test } from 'vitest';
import { openStore, swapRow } from './support.ts';

const any = { outcome: null, ids: null, network: null, search: null, before: null, limit: 10 };

test('a label is found by any part of it, in either case, and is gone once both words are', () => {
  const { store } = openStore();
  store.labels.put('a', { label: 'Rent for MAY', note: null });
  store.labels.put('b', { label: null, note: 'café, 100 % of it_' });
  const hits = ['for may', 'CAFE\u0301', '100 %', '_', 'nothing'].map((text) => store.labels.idsWith(text));
  store.labels.put('a', { label: null, note: null });
  expect([hits, store.labels.of('a'), store.labels.of('b'), store.labels.idsWith('rent')]).toEqual([
    [['a'], ['b'], ['b'], ['b'], []],
    { label: null, note: null },
    { label: null, note: 'café, 100 % of it_' },
    [],
  ]);
});

test('both lists find a swap by its label beside what else they find', () => {
  const { store } = openStore();
  const own = (id: string) => swapRow({ id, machine: 'take-arkade-lightning' });
  for (const id of ['a', 'b', 'c']) {
    store.swaps.insert(own(id));
    store.takerSwaps.write(own(id), {
      outcome: null,
      give: 'arkade',
      get: 'lightning',
      words: id === 'b' ? ['rent1q'] : [],
    });
  }
  store.labels.put('a', { label: 'my rent', note: null });
  const labelled = store.labels.idsWith('rent');
  const search = { beginning: 'rent', amount: null, labelled };
  const listed = store.takerSwaps.page({ ...any, search }).map(({ id }) => id);
  const all = store.swaps.page({ q: 'rent', also: labelled, limit: 10 }).map(({ id }) => id);
  expect([listed, all]).toEqual([['b', 'a'], ['a']]);
});

test('a text that very many have does not hide a label that has it too', () => {
  const { store } = openStore();
  store.atomically(() => {
    for (let number = 0; number < 1_100; number++)
      store.takerSwaps.write(swapRow({ id: `id-${number}`, machine: 'take-arkade-lightning' }), {
        outcome: number === 1_099 ? 'returned' : 'finished',
        give: 'arkade',
        get: 'lightning',
        words: number === 1_099 ? [] : ['tark1q'],
      });
  });
  store.labels.put('id-1099', { label: 'tark1q of mine', note: null });
  const search = { beginning: 'tark1q', amount: null, labelled: store.labels.idsWith('tark1q') };
  expect(store.takerSwaps.page({ ...any, outcome: 'returned', search }).map(({ id }) => id)).toEqual(['id-1099']);
});
