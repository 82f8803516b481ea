import { expect, test } from 'vitest';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { unix } from '../../engine/domain/time.ts';
import { openStore, swapRow } from './support.ts';

const key = (byte: number) => asPublicKey(new Uint8Array(33).fill(byte));

test('a swap is found by the id that its client has, and by any of its keys, a part at a time', () => {
  const { store } = openStore();
  for (const [at, id] of ['a', 'b', 'c'].entries()) {
    store.swaps.insert(swapRow({ id: `swap-${id}`, createdAt: unix(1_000 + at) }));
    store.boltzSwaps.insert(id, `swap-${id}`, at === 0 ? [key(1), key(2)] : [key(1), key(1)], null);
  }
  expect([store.boltzSwaps.swapOf('b'), store.boltzSwaps.idOf('swap-b')]).toEqual(['swap-b', 'b']);
  expect([store.boltzSwaps.swapOf('d'), store.boltzSwaps.idOf('swap-d')]).toEqual([null, null]);
  const idsOf = (byte: number, after: string, most: number): string[] =>
    store.boltzSwaps.ofKey(key(byte), after, most).map(({ id }) => id);
  expect([1, 2, 3].map((byte) => idsOf(byte, '', 10))).toEqual([['a', 'b', 'c'], ['a'], []]);
  expect([idsOf(1, '', 2), idsOf(1, 'b', 2)]).toEqual([['a', 'b'], ['c']]);
});

test('an id stands for one swap, and a swap has one id', () => {
  const { store } = openStore();
  store.boltzSwaps.insert('a', 'swap-a', [], null);
  expect(() => store.boltzSwaps.insert('a', 'swap-b', [], null)).toThrow(/UNIQUE/);
  expect(() => store.boltzSwaps.insert('b', 'swap-a', [], null)).toThrow(/UNIQUE/);
});
