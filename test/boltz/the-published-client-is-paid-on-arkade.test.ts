import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { atRisk, openPublishedClient, startLooseNode, type PublishedClient } from './kit.ts';
import { wordsOf } from './socket-kit.ts';

const patience = { timeout: 240_000 };
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startLooseNode({ maxSwapSats: 60_000, maxLossSats: 300_000 });
  client = await openPublishedClient(node, []);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

const statusOf = async (id: string) => text(await node.get(`/v2/swap/${id}`), 'status');

test('it pays an invoice, checks our lock, claims it, and its payment is settled', patience, async () => {
  const { pendingSwap, invoice, amount } = await client.swaps.createLightningInvoice({ amount: 50_000 });
  const words = await wordsOf(node, pendingSwap.id);
  const hash = await node.pay(invoice);
  await client.swaps.waitAndClaim(pendingSwap);
  await eventually(
    () => node.payment(hash),
    (state) => state === 'settled',
  );
  await eventually(
    () => client.wallet.getBalance(),
    ({ available }) => available === amount,
  );
  expect(await statusOf(pendingSwap.id)).toBe('invoice.settled');
  // Some clients act on the one word of our lock, and some on the other.
  await expect
    .poll(() => words)
    .toEqual(['swap.created', 'transaction.mempool', 'transaction.confirmed', 'invoice.settled']);
  // What ended well counts against nothing.
  expect(await atRisk(node)).toBe(0);
});

test('what it does not claim is ours again after the timeout, and its payment goes back', patience, async () => {
  const other = await openPublishedClient(node, []);
  const { pendingSwap, invoice } = await other.swaps.createLightningInvoice({ amount: 45_000 });
  const hash = await node.pay(invoice);
  await eventually(
    () => statusOf(pendingSwap.id),
    (status) => status === 'transaction.confirmed',
  );
  const words = await wordsOf(node, pendingSwap.id);
  await expect.poll(() => words).toEqual(['transaction.confirmed']);
  // It counts in full until it is seen to have ended well.
  expect(await atRisk(node)).toBe(pendingSwap.response.onchainAmount);
  const { reverseSwaps } = await other.swaps.restoreSwaps();
  expect(reverseSwaps).toEqual([expect.objectContaining({ id: pendingSwap.id, status: 'transaction.confirmed' })]);
  const lock = pendingSwap.response.timeoutBlockHeights as unknown as Json;
  await node.advanceTo(whole(lock, 'refund') + 1);
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 12 });
  await eventually(
    () => statusOf(pendingSwap.id),
    (status) => status === 'transaction.refunded',
    120_000,
  );
  await eventually(
    () => node.payment(hash),
    (state) => state === 'failed',
  );
  await eventually(
    () => atRisk(node),
    (amount) => amount === 0,
  );
  await other.close();
});

test('an answer to the claim by the key of both is none for a lock on Arkade', async () => {
  const { pendingSwap } = await client.swaps.createLightningInvoice({ amount: 20_000 });
  const { status, body } = await node.raw('POST', `/v2/swap/reverse/${pendingSwap.id}/claim`, {
    preimage: pendingSwap.preimage,
    pubNonce: '02'.repeat(66),
    transaction: '00'.repeat(60),
    index: 0,
  });
  expect([status, body]).toEqual([400, { error: 'swap not eligible for a cooperative claim' }]);
});

test('a node that is killed once its client has claimed settles the payment when it is back', patience, async () => {
  const { pendingSwap, invoice } = await client.swaps.createLightningInvoice({ amount: 40_000 });
  const hash = await node.pay(invoice);
  await eventually(
    () => statusOf(pendingSwap.id),
    (status) => status === 'transaction.confirmed',
  );
  await client.swaps.claimVHTLC(pendingSwap);
  await node.restart('SIGKILL');
  await eventually(
    () => node.payment(hash),
    (state) => state === 'settled',
  );
  // What was never paid for, above, counts until its window ends.
  await eventually(
    () => atRisk(node),
    (amount) => amount <= 20_000,
  );
});
