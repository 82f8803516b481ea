import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { everything, startPair, type Pair } from './pair.ts';

let pair: Pair;
beforeAll(async () => void (pair = await startPair()));
afterAll(() => pair.stop());

const ownerList = { direction: null, status: null, open: true, cursor: null, limit: 10 };

test('a label is in both lists and in their searches, and the swap itself is as it was', async () => {
  const id = await pair.fromLightning(50_000n);
  const { owner } = pair.taker.service;
  const { workingSet, store } = pair.taker.runtime;
  const stored = () =>
    JSON.stringify([store.swaps.head(id), store.journal.of(id)], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  const before = [stored(), workingSet.find(id)?.row.version];
  expect(await owner.label(id, { label: 'Rent', note: 'for May' })).toEqual({ label: 'Rent', note: 'for May' });
  expect([stored(), workingSet.find(id)?.row.version]).toEqual(before);
  const matches = await pair.taker.taker.swaps({ ...everything, text: 'for may' });
  const none = await pair.taker.taker.swaps({ ...everything, text: 'june' });
  if (isRefusal(matches) || isRefusal(none)) throw new Error('the lists were refused');
  expect([matches.swaps.map(({ label, note }) => [label, note]), none.swaps, owner.swap(id)]).toEqual([
    [['Rent', 'for May']],
    [],
    expect.objectContaining({ label: 'Rent', note: 'for May' }),
  ]);
});

test('whoever provides finds a swap of a client by a label, open or not', async () => {
  const id = await pair.fromLightning(50_000n);
  const swapId = pair.taker.taker.swap(id)?.provider_swap_id ?? '';
  const { owner } = pair.provider.service;
  await owner.label(swapId, { label: 'Shop', note: null });
  const lists = await Promise.all([true, null].map(async (open) => owner.swaps({ ...ownerList, open, text: 'sho' })));
  expect(lists.map((list) => (isRefusal(list) ? list : list.swaps.map((one) => [one.id, one.label])))).toEqual([
    [[swapId, 'Shop']],
    [[swapId, 'Shop']],
  ]);
});

test('a label of no swap is refused', async () => {
  const given = await pair.taker.service.owner.label('00000000-0000-4000-8000-0000000000ff', {
    label: 'x',
    note: null,
  });
  expect(isRefusal(given) && given.refusal).toBe('unknown-swap');
});
