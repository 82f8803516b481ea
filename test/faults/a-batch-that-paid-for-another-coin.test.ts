import { afterEach, beforeEach, expect, test } from 'vitest';
import { paidByBatch } from '../../engine/adapters/arkade/coins.ts';
import type { Operator } from '../../engine/adapters/arkade/operator.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import type { BatchPayout } from '../../engine/legs/arkade/batch.ts';
import { handedCoin } from '../../engine/runtime/networks/arkade/handed.ts';
import { lockLightningArkade, vhtlcTerms } from '../support/openings.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

/** A lock that has expired, and how its receiver takes it through a batch. */
async function expired() {
  const { record, secret: preimage } = await lockLightningArkade(scene);
  const terms = vhtlcTerms(scene.node, record.id);
  const listed = (await scene.client.coins(record))[0];
  if (listed === undefined) throw new Error('there is no lock');
  scene.world.expire(listed.outpoint);
  const coin = { ...listed, recoverable: true };
  const { signal } = new AbortController();
  const spend = { terms, key: { branch: 'taker', index: 0 }, leaf: 'claim', preimage, signal } as const;
  return { coin, spend };
}

test('fault 349, arkade: one payment of a batch stands for one coin, and for one that it was handed', async () => {
  const { port } = scene.client;
  const [one, other] = [await expired(), await expired()];
  const noted: BatchPayout[] = [];
  const { commitmentTxid, paid, fee } = await port.settle({
    ...one.spend,
    coins: [one.coin],
    begin: (payout) => noted.push(payout),
  });
  const inBatch = { spent: true, settledBy: commitmentTxid } as const;
  const again = { ...one.spend, coins: [{ ...one.coin, ...inBatch }] };
  const foreign = { ...other.spend, coins: [{ ...other.coin, ...inBatch }] };
  expect(await port.settle(again)).toEqual({ commitmentTxid, fee, paid });
  const isForeign = { code: 'batch-foreign' };
  // Never handed to a batch of ours; handed over for as much as this one paid, for another coin; for one sat less.
  await expect(port.settle(foreign)).rejects.toMatchObject(isForeign);
  expect(noted.map(({ amount }) => amount)).toEqual([sats(one.coin.amount - fee)]);
  await expect(port.settle({ ...foreign, begun: noted })).rejects.toMatchObject(isForeign);
  const less = noted.map((payout) => ({ ...payout, amount: sats(payout.amount - 1n) }));
  await expect(port.settle({ ...foreign, begun: less })).rejects.toMatchObject(isForeign);
  // By the books of an earlier process.
  await expect(port.settle({ ...again, isFree: () => false })).rejects.toMatchObject(isForeign);
});

test('fault 349, arkade: what was forgotten is in no batch after the copy came back', async () => {
  const batch = 'ef'.repeat(32);
  const payout = { script: new Uint8Array(34).fill(7), amount: sats(50_000n) };
  const coin = { txid: 'cd'.repeat(32), vout: 0, value: 50_000, script: toHex(payout.script) };
  const made = { ...coin, createdAt: new Date(1_000_000), commitmentTxIds: [batch] };
  const indexer = { getVtxos: () => Promise.resolve({ vtxos: [made] }) };
  const operator = { read: (_: string, work: (from: unknown) => unknown) => work(indexer) } as unknown as Operator;
  const paidUntil = (until: number) => paidByBatch(operator, batch, [{ ...payout, until: unix(until) }], () => true);
  expect([await paidUntil(999), await paidUntil(1_000)]).toEqual([
    null,
    { paid: { txid: coin.txid, vout: 0 }, amount: payout.amount },
  ]);
});

test('fault 349, arkade: what a coin is handed over for is on disk, and what it came to', async () => {
  const { store } = scene.node;
  const points: Outpoint[] = [1, 2].map((vout) => ({ txid: 'ab'.repeat(32), vout }));
  const [own, other] = points.map((point) => handedCoin(point, { store }));
  const paid: Outpoint = { txid: 'cd'.repeat(32), vout: 0 };
  const payout = { script: new Uint8Array(34).fill(7), amount: sats(50_000n) };
  own?.begin(payout);
  own?.begin(payout);
  expect([own?.begun(), other?.begun()]).toEqual([[payout], []]);
  expect([own?.isFree(paid), other?.isFree(paid)]).toEqual([true, true]);
  own?.credit(paid, store);
  expect([own?.isFree(paid), other?.isFree(paid)]).toEqual([true, false]);
});
