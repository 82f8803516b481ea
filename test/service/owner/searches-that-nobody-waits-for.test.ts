import { expect, test } from 'vitest';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { searchOf } from '../../../engine/service/owner/swap-search.ts';

const word = (last: string): string => `${'a'.repeat(20)}${last}`;

/** A history that is gone through in a thousand turns; what is looked for at each of them is noted, and told. */
function history(atTurn: (count: number) => void = () => undefined) {
  const turns: string[] = [];
  const none = () => [];
  const swaps = {
    head: () => null,
    ofUser: none,
    withWord(text: string, from: number) {
      turns.push(text);
      atTurn(turns.length);
      return { ids: [], next: from < 1_000 ? from + 1 : null };
    },
  };
  const store = {
    swaps,
    ...{ boltzSwaps: { swapOf: () => null }, labels: { idsWith: none }, transactions: { subjectsBeginning: none } },
  };
  const context = { runtime: { store } } as unknown as ServiceContext;
  return { turns, search: (text: string, signal?: AbortSignal) => searchOf(context, text, signal) };
}

test('a search ends when its owner leaves, and one that did not begin never does', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const { turns, search } = history((count) => {
    if (count < 500) return;
    second.abort();
    first.abort();
  });
  const left = [search(word('b'), first.signal), search(word('c'), second.signal)];
  const last = search(word('d'));
  await Promise.all([...left, last]);
  const of = (text: string): number => turns.filter((turn) => turn === text).length;
  expect([of(word('b')), of(word('c')), of(word('d'))]).toEqual([500, 0, 1_001]);
});

test('a search goes on as long as one of those who look for the word is there', async () => {
  const { turns, search } = history();
  const first = new AbortController();
  const both = [search(word('b'), first.signal), search(word('b'), new AbortController().signal)];
  first.abort();
  await Promise.all(both);
  expect(turns.length).toBe(1_001);
});
