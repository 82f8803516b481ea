import { createHash, randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { createReverse, createSubmarine } from './core-kit.ts';
import { openDoorScene } from './door-scene.ts';
import { startDoorNode } from './kit.ts';

/* Some clients claim our lock on that word alone, and wait an hour for it: blocks are mined here one at a time. */

const patience = { timeout: 120_000 };
const scene = openDoorScene(() => startDoorNode({ environment: { SLUICE_BITCOIN__CONFIRMATIONS: '[3, 3]' } }), {
  funds: [200_000],
  byHand: true,
});
const { mine, fund, becomes } = scene;

test('Lightning to Bitcoin: our lock is confirmed in its first block', patience, async () => {
  const swap = await createReverse(scene.node.url, { onchainAmount: 60_000 });
  // Clients of this kind read 404 as not yet.
  await expect(scene.node.get(`/v2/swap/reverse/${swap.id}/transaction`)).rejects.toThrow(/404/);
  await scene.node.pay(text(swap.reply, 'invoice'));
  expect(await becomes(swap.id, 'transaction.mempool')).toMatchObject({ transaction: { confirmed: false } });
  await mine();
  expect(await becomes(swap.id, 'transaction.confirmed')).toMatchObject({ transaction: { confirmed: true } });
});

test('Arkade to Bitcoin: our lock is confirmed in its first block', patience, async () => {
  const key = hex.encode(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()));
  const swap = await scene.client.provider.createChainSwap({
    ...{ from: 'ARK', to: 'BTC', serverLockAmount: 50_000, feeSatsPerByte: 1 },
    ...{ claimPublicKey: key, refundPublicKey: scene.client.publicKey },
    preimageHash: createHash('sha256').update(randomBytes(32)).digest('hex'),
  });
  const { lockupAddress: address, amount } = swap.lockupDetails;
  await scene.client.wallet.send({ address, amount });
  expect(await becomes(swap.id, 'transaction.server.mempool')).toMatchObject({ transaction: { confirmed: false } });
  await mine();
  expect(await becomes(swap.id, 'transaction.server.confirmed')).toMatchObject({ transaction: { confirmed: true } });
});

/** A coin of the client's, one block after the other, of three. */
async function confirmedOneByOne(id: string, address: string, amount: number): Promise<void> {
  await fund(address, amount);
  const waits = await becomes(id, 'transaction.mempool');
  expect(waits).toMatchObject({ zeroConfRejected: true, transaction: { confirmed: false } });
  await mine();
  const inBlock = await eventually(
    () => scene.node.get(`/v2/swap/${id}`),
    (now) => now['zeroConfRejected'] === undefined,
    20_000,
  );
  expect(inBlock).toMatchObject({ status: 'transaction.mempool', transaction: { confirmed: true } });
}

test('Bitcoin to Lightning: a coin in a block is confirmed, and pays once it is deep enough', patience, async () => {
  const { bolt11, hash } = await scene.node.invoice(50_000);
  const { id, reply } = await createSubmarine(scene.node.url, bolt11, hash);
  await confirmedOneByOne(id, text(reply, 'address'), whole(reply, 'expectedAmount'));
  for (const _ of ['second', 'third']) await mine();
  await becomes(id, 'transaction.claim.pending');
});

test('Bitcoin to Lightning: so it is where the invoice is not named yet', patience, async () => {
  const { bolt11: invoice, hash } = await scene.node.invoice(50_000);
  const { id, reply } = await createSubmarine(scene.node.url, null, hash);
  const { fees } = ((await scene.node.get('/v2/swap/submarine'))['BTC'] as Json)['BTC'] as Json;
  const { percentage, minerFees } = fees as { percentage: number; minerFees: number };
  const amount = 50_000 + Math.ceil((50_000 * percentage) / 100) + minerFees;
  await confirmedOneByOne(id, text(reply, 'address'), amount);
  const named = await scene.node.raw('POST', `/v2/swap/submarine/${id}/invoice`, { invoice });
  expect(named.status).toBe(200);
  for (const _ of ['second', 'third']) await mine();
  await becomes(id, 'transaction.claim.pending');
});

test('Bitcoin to Arkade: a coin in a block is confirmed', patience, async () => {
  await scene.node.owner('PATCH', '/owner/settings', {
    boltz: { toArkade: { enabled: true, maxSwapSats: 60_000, maxLossSats: 200_000 } },
  });
  const { pendingSwap, btcAddress, amountToPay } = await scene.client.swaps.btcToArk({ receiverLockAmount: 30_000 });
  await confirmedOneByOne(pendingSwap.id, btcAddress, amountToPay);
  for (const _ of ['second', 'third']) await mine();
  await becomes(pendingSwap.id, 'transaction.server.confirmed');
});
