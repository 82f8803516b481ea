import { expect, test } from 'vitest';
import type { TakerListing } from '../../engine/domain/taker.ts';
import { unix } from '../../engine/domain/time.ts';
import { openStore, swapRow } from './support.ts';

const listing: TakerListing = { outcome: null, give: 'arkade', get: 'lightning', words: ['tark1q', '=100'] };
const any = { outcome: null, ids: null, network: null, search: null, before: null, limit: 10 };

function own(id: string, createdAt = 1) {
  return swapRow({ id, machine: 'take-arkade-lightning', createdAt: unix(createdAt) });
}

test('a swap is listed as it was saved last, and by none of its former words', () => {
  const { store } = openStore();
  store.takerSwaps.write(own('a'), listing);
  store.takerSwaps.write(
    { ...own('a'), version: 1 },
    { ...listing, outcome: 'returned', words: ['tark1q', 'refunding'] },
  );
  const idsBy = (beginning: string, amount: string | null = null) =>
    store.takerSwaps.page({ ...any, search: { beginning, amount } }).map(({ id }) => id);
  expect([idsBy('tark'), idsBy('refund'), idsBy('none', '=100'), idsBy('a'), store.takerSwaps.counts()]).toEqual([
    ['a'],
    ['a'],
    [],
    ['a'],
    [{ outcome: 'returned', count: 1 }],
  ]);
});

test('one that was changed without being listed is noticed, whoever changed it', () => {
  const { store } = openStore();
  for (const id of ['a', 'b', 'c']) store.swaps.insert(own(id));
  store.swaps.insert(swapRow({ id: 'd' }));
  for (const id of ['a', 'b']) store.takerSwaps.write(own(id), listing);
  store.swaps.update({ ...own('b'), flag: 'look at it' });
  expect([store.takerSwaps.staleAfter('', 10), store.takerSwaps.staleAfter('b', 10)]).toEqual([['b', 'c'], ['c']]);
});

test('a text that very many have is gone through in the order of the list', () => {
  const { store } = openStore();
  const named = (number: number) => String(number).padStart(5, '0');
  store.atomically(() => {
    for (let number = 0; number < 1_500; number++)
      store.takerSwaps.write(own(named(number), number % 500), {
        ...listing,
        outcome: number % 2 === 0 ? 'finished' : 'returned',
        words: number === 7 ? ['tark1q', 'rare'] : ['tark1q'],
      });
  });
  const page = (beginning: string, before: { createdAt: number; id: string } | null = null) =>
    store.takerSwaps.page({ ...any, outcome: 'returned', search: { beginning, amount: null }, before, limit: 4 });
  expect([page('tark1q'), page('tark1q', { createdAt: 499, id: '00499' }).length, page('rare')]).toEqual([
    [
      { id: '01499', createdAt: 499 },
      { id: '00999', createdAt: 499 },
      { id: '00499', createdAt: 499 },
      { id: '01497', createdAt: 497 },
    ],
    4,
    [{ id: '00007', createdAt: 7 }],
  ]);
});
