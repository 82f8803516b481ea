import { createHash, randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { createReverse } from './core-kit.ts';
import { openPublishedClient, startDoorNode, type PublishedClient } from './kit.ts';

/* Some clients claim our lock on that word alone, and wait an hour for it: blocks are mined here one at a time. */

const patience = { timeout: 120_000 };
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startDoorNode();
  await node.owner('POST', '/sandbox/bitcoin/mine', { auto_seconds: null });
  client = await openPublishedClient(node, [200_000]);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

const mine = () => node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
const becomes = (id: string, word: string) =>
  eventually(
    () => node.get(`/v2/swap/${id}`),
    ({ status }) => status === word,
    30_000,
  );

test('Lightning to Bitcoin: our lock is confirmed in its first block', patience, async () => {
  const swap = await createReverse(node.url, { onchainAmount: 60_000 });
  // Clients of this kind read 404 as not yet.
  await expect(node.get(`/v2/swap/reverse/${swap.id}/transaction`)).rejects.toThrow(/404/);
  await node.pay(text(swap.reply, 'invoice'));
  expect(await becomes(swap.id, 'transaction.mempool')).toMatchObject({ transaction: { confirmed: false } });
  await mine();
  expect(await becomes(swap.id, 'transaction.confirmed')).toMatchObject({ transaction: { confirmed: true } });
});

test('Arkade to Bitcoin: our lock is confirmed in its first block', patience, async () => {
  const key = hex.encode(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()));
  const swap = await client.provider.createChainSwap({
    ...{ from: 'ARK', to: 'BTC', serverLockAmount: 50_000, feeSatsPerByte: 1 },
    ...{ claimPublicKey: key, refundPublicKey: client.publicKey },
    preimageHash: createHash('sha256').update(randomBytes(32)).digest('hex'),
  });
  const { lockupAddress: address, amount } = swap.lockupDetails;
  await client.wallet.send({ address, amount });
  expect(await becomes(swap.id, 'transaction.server.mempool')).toMatchObject({ transaction: { confirmed: false } });
  await mine();
  expect(await becomes(swap.id, 'transaction.server.confirmed')).toMatchObject({ transaction: { confirmed: true } });
});
