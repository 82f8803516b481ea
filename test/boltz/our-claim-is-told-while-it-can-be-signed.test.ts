import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { createSubmarine } from './core-kit.ts';
import { openPublishedClient, startLooseNode, type PublishedClient } from './kit.ts';
import { wordsOf } from './socket-kit.ts';

/*
 * Some clients ask for our claim once they are told that it can be signed, and listen no more where that is refused:
 * blocks are mined here one at a time.
 */

const patience = { timeout: 120_000 };
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startLooseNode({ maxSwapSats: 60_000, maxLossSats: 200_000 });
  await node.owner('POST', '/sandbox/bitcoin/mine', { auto_seconds: null });
  client = await openPublishedClient(node, []);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

const mine = () => node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
const fund = (address: string, amount: number) => node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
const wordNow = async (id: string) => text(await node.get(`/v2/swap/${id}`), 'status');
const isClaimed = (id: string) =>
  eventually(
    async () => (await mine(), wordNow(id)),
    (word) => word === 'transaction.claimed',
  );

/** Until our claim goes by the script, for its client was waited for long enough. */
async function isLate(kind: 'submarine' | 'chain', id: string): Promise<void> {
  const claim = () => node.raw('GET', `/v2/swap/${kind}/${id}/claim`);
  await eventually(claim, ({ status }) => status === 200);
  await eventually(claim, ({ status }) => status === 400, 30_000);
}

/** Its client heard that the claim can be signed, and signs nothing. */
async function leftUnsigned(): Promise<{ id: string; words: readonly unknown[] }> {
  const { bolt11, hash } = await node.invoice(50_000);
  const { id, reply } = await createSubmarine(node.url, bolt11, hash);
  const words = await wordsOf(node, id);
  await fund(text(reply, 'address'), whole(reply, 'expectedAmount'));
  await expect.poll(() => words.at(-1), patience).toBe('transaction.mempool');
  await mine();
  await expect.poll(() => words.at(-1), patience).toBe('transaction.claim.pending');
  return { id, words };
}

test('Bitcoin to Lightning: who comes once it goes by the script is told that it is paid', patience, async () => {
  const { id, words } = await leftUnsigned();
  await isLate('submarine', id);
  expect(await wordNow(id)).toBe('invoice.paid');
  const later = await wordsOf(node, id);
  await expect.poll(() => later).toEqual(['invoice.paid']);
  await isClaimed(id);
  await expect.poll(() => later).toEqual(['invoice.paid', 'transaction.claimed']);
  // Who was told steps back over nothing.
  await expect.poll(() => words.slice(-2)).toEqual(['transaction.claim.pending', 'transaction.claimed']);
});

test('fault 318, bitcoin: who was told to sign our claim of a chain swap is not told to claim', patience, async () => {
  const { pendingSwap, btcAddress, amountToPay } = await client.swaps.btcToArk({ receiverLockAmount: 30_000 });
  const { id } = pendingSwap;
  const words = await wordsOf(node, id);
  await fund(btcAddress, amountToPay);
  await expect.poll(() => words.at(-1), patience).toBe('transaction.mempool');
  await mine();
  await expect.poll(() => words.at(-1), patience).toBe('transaction.server.confirmed');
  await client.swaps.claimArk(pendingSwap);
  await expect.poll(() => words.at(-1), patience).toBe('transaction.claim.pending');
  await isLate('chain', id);
  // A client whose socket was cut would claim once more, of what is its own already.
  const later = await wordsOf(node, id);
  await expect.poll(() => later).toEqual(['transaction.claim.pending']);
  expect(await wordNow(id)).toBe('transaction.claim.pending');
  await node.restart('SIGKILL');
  const last = await wordsOf(node, id);
  await expect.poll(() => last).toEqual(['transaction.claim.pending']);
  expect(await wordNow(id)).toBe('transaction.claim.pending');
  await isClaimed(id);
});

test('Bitcoin to Lightning: who read that it can be signed reads no earlier word', patience, async () => {
  const { id } = await leftUnsigned();
  expect(await wordNow(id)).toBe('transaction.claim.pending');
  await isLate('submarine', id);
  expect(await wordNow(id)).toBe('transaction.claim.pending');
  const { [id]: among } = await node.get(`/v2/swap/status?ids=${id}&ids=${id}`);
  expect(among).toMatchObject({ status: 'transaction.claim.pending' });
  await node.restart('SIGKILL');
  expect(await wordNow(id)).toBe('invoice.paid');
  await isClaimed(id);
});
