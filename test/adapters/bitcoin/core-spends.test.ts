import { expect, test } from 'vitest';
import { spendersOf } from '../../../engine/adapters/bitcoin/core-spends.ts';
import { RpcRefusal, type CoreRpc } from '../../../engine/adapters/bitcoin/json-rpc.ts';

const hash = (digit: string) => digit.repeat(64);
const points = [
  { txid: hash('a'), vout: 0 },
  { txid: hash('b'), vout: 1 },
  { txid: hash('c'), vout: 2 },
];
const [first, second, third] = points;

/** A node of which only this call is asked, as Bitcoin Core 31 was seen to answer it. */
function node(
  answer: (params: readonly unknown[]) => unknown,
): CoreRpc & { readonly questions: (readonly unknown[])[] } {
  const questions: (readonly unknown[])[] = [];
  return {
    name: 'node:8332',
    questions,
    call: async (_, params = []) => {
      questions.push(params);
      return answer(params);
    },
    batch: () => Promise.reject(new Error('nothing is asked in batches here')),
  };
}

test('fault 81, bitcoin: a spend that an index names in a block is none of the mempool', async () => {
  const rpc = node(() => [
    { ...third, spendingtxid: hash('3') },
    { ...first, spendingtxid: hash('1'), blockhash: hash('f') },
    second,
  ]);
  expect(await spendersOf(rpc, points)).toEqual([
    { txid: hash('1'), block: hash('f') },
    null,
    { txid: hash('3'), block: null },
  ]);
});

test('while the index is behind the chain the mempool alone is asked', async () => {
  const rpc = node(([, options]) => {
    if (options === undefined) throw new RpcRefusal('gettxspendingprevout', -1, 'txospenderindex is unavailable');
    return points.map((point) => ({ ...point, spendingtxid: hash('2') }));
  });
  expect(await spendersOf(rpc, points)).toEqual(points.map(() => ({ txid: hash('2'), block: null })));
  expect(rpc.questions.map(([, options]) => options)).toEqual([undefined, { mempool_only: true }]);
});

test('an answer that leaves an outpoint out is none', async () => {
  await expect(
    spendersOf(
      node(() => [first, second]),
      points,
    ),
  ).rejects.toThrow('without a row for each outpoint');
  await expect(
    spendersOf(
      node(() => ({})),
      points,
    ),
  ).rejects.toThrow('with no list');
  await expect(
    spendersOf(
      node(() => {
        throw new RpcRefusal('gettxspendingprevout', -8, 'something else');
      }),
      points,
    ),
  ).rejects.toThrow('something else');
});
