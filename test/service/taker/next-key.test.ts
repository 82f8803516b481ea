import { expect, test } from 'vitest';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { hash160OfSha256, sha256Of } from '../../../engine/legs/secret.ts';
import { nextKey } from '../../../engine/service/taker/next-key.ts';
import { takerMarks } from '../../../engine/store/seed-marks.ts';
import { newFolder, openStore } from '../../store/support.ts';

const takerSecret = (index: number) => asPreimage(new Uint8Array(32).fill(index + 1));
const hashOf = (index: number) => sha256Of(takerSecret(index));

test('fault 237, evm: no swap of our own secret takes a key whose hash or secret this database has', () => {
  const { store } = openStore();
  const highWater = takerMarks(newFolder());
  store.preimages.keep(hash160OfSha256(hashOf(0)), takerSecret(0), 1);
  store.preimages.keep(hash160OfSha256(hashOf(1)), takerSecret(1), 1);
  // A swap with the hash of the fourth key is here, whose secret is not.
  const page = ({ search }: { search: { beginning: string } }) =>
    search.beginning === toHex(hashOf(3)) ? [{ id: 'one', createdAt: 1 }] : [];
  const readable = () => ({ row: { terms: { hash: hashOf(3) } } });
  const runtime = { store: { ...store, takerSwaps: { page } }, workingSet: { readable } };
  const context = { runtime, keys: { takerSecret }, highWater } as never;
  expect([nextKey(context, 'ours'), nextKey(context, 'ours'), nextKey(context, 'payee')]).toEqual([2, 4, 5]);
  expect([highWater.floor(), store.counters.peek('taker')]).toEqual([6, 6]);
  // Of a secret that is the payee's nothing is at stake.
  store.preimages.keep(hash160OfSha256(hashOf(6)), takerSecret(6), 1);
  expect([nextKey(context, 'payee'), nextKey(context, 'ours')]).toEqual([6, 7]);
});
