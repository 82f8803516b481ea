import { expect, test } from 'vitest';
import { text, whole } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { createSubmarine } from './core-kit.ts';
import { openDoorScene } from './door-scene.ts';
import { startLooseNode } from './kit.ts';
import { wordsOf } from './socket-kit.ts';

/*
 * Some clients ask for our claim once they are told that it can be signed, and listen no more where that is refused:
 * blocks are mined here one at a time.
 */

const patience = { timeout: 120_000 };
const scene = openDoorScene(() => startLooseNode({ maxSwapSats: 60_000, maxLossSats: 200_000 }), { byHand: true });
const { mine, fund, wordNow, becomesByBlocks } = scene;

/** Until our claim goes by the script, for its client was waited for long enough. */
async function isLate(kind: 'submarine' | 'chain', id: string): Promise<void> {
  const claim = () => scene.node.raw('GET', `/v2/swap/${kind}/${id}/claim`);
  await eventually(claim, ({ status }) => status === 200);
  await eventually(claim, ({ status }) => status === 400, 30_000);
}

/** Its client heard that the claim can be signed, and signs nothing. */
async function leftUnsigned(): Promise<{ id: string; words: readonly unknown[] }> {
  const { bolt11, hash } = await scene.node.invoice(50_000);
  const { id, reply } = await createSubmarine(scene.node.url, bolt11, hash);
  const words = await wordsOf(scene.node, id);
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
  const later = await wordsOf(scene.node, id);
  await expect.poll(() => later).toEqual(['invoice.paid']);
  await becomesByBlocks(id, 'transaction.claimed');
  await expect.poll(() => later).toEqual(['invoice.paid', 'transaction.claimed']);
  // Who was told steps back over nothing.
  await expect.poll(() => words.slice(-2)).toEqual(['transaction.claim.pending', 'transaction.claimed']);
});

test('fault 318, bitcoin: who was told to sign our claim of a chain swap is not told to claim', patience, async () => {
  const { pendingSwap, btcAddress, amountToPay } = await scene.client.swaps.btcToArk({ receiverLockAmount: 30_000 });
  const { id } = pendingSwap;
  const words = await wordsOf(scene.node, id);
  await fund(btcAddress, amountToPay);
  await expect.poll(() => words.at(-1), patience).toBe('transaction.mempool');
  await mine();
  await expect.poll(() => words.at(-1), patience).toBe('transaction.server.confirmed');
  await scene.client.swaps.claimArk(pendingSwap);
  await expect.poll(() => words.at(-1), patience).toBe('transaction.claim.pending');
  await isLate('chain', id);
  // A client whose socket was cut would claim once more, of what is its own already.
  const later = await wordsOf(scene.node, id);
  await expect.poll(() => later).toEqual(['transaction.claim.pending']);
  expect(await wordNow(id)).toBe('transaction.claim.pending');
  await scene.node.restart('SIGKILL');
  const last = await wordsOf(scene.node, id);
  await expect.poll(() => last).toEqual(['transaction.claim.pending']);
  expect(await wordNow(id)).toBe('transaction.claim.pending');
  await becomesByBlocks(id, 'transaction.claimed');
});

test('Bitcoin to Lightning: who read that it can be signed reads no earlier word', patience, async () => {
  const { id } = await leftUnsigned();
  expect(await wordNow(id)).toBe('transaction.claim.pending');
  await isLate('submarine', id);
  expect(await wordNow(id)).toBe('transaction.claim.pending');
  const { [id]: among } = await scene.node.get(`/v2/swap/status?ids=${id}&ids=${id}`);
  expect(among).toMatchObject({ status: 'transaction.claim.pending' });
  await scene.node.restart('SIGKILL');
  expect(await wordNow(id)).toBe('invoice.paid');
  await becomesByBlocks(id, 'transaction.claimed');
});
