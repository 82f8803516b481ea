import { expect, test } from 'vitest';
import { asSha256 } from '../../engine/domain/hash.ts';
import { swapsOfHash } from '../../engine/service/taker/swaps-of-hash.ts';
import type { TakerPlace } from '../../engine/store/taker-swaps.ts';

test('the oldest swap of a hash is found behind any number of newer ones', () => {
  const hash = asSha256(new Uint8Array(32).fill(7));
  const places: TakerPlace[] = Array.from({ length: 450 }, (_, at) => ({ id: `swap ${at}`, createdAt: 450 - at }));
  const page = ({ before, limit }: { before: TakerPlace | null; limit: number }) =>
    places.filter(({ createdAt }) => before === null || createdAt < before.createdAt).slice(0, limit);
  const readable = (id: string) => ({ row: { id, terms: { hash } } });
  const runtime = { store: { takerSwaps: { page } }, workingSet: { readable } } as never;
  expect([...swapsOfHash({ runtime }, hash)].map(({ row }) => row.id)).toEqual(places.map(({ id }) => id));
});
