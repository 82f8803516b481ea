import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { claimOf, halfOf, sold, takenBy, type Sold } from '../support/server-claim.ts';

/*
 * We claim a client's coin, and the client signs that claim with us: in time, wrongly, late, or never.
 *
 * Loses money when wrong: a claim that is held back with no end; what takes the coin not known for ours.
 */

vi.setConfig({ testTimeout: 120_000 });

let scene: Scene;

beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true });
});
afterEach(() => scene.end());

const give = async ({ id }: Sold, half: Parameters<typeof scene.node.service.signServerClaim>[1]) =>
  scene.node.service.signServerClaim(id, half);
const sentence = (answer: unknown) =>
  isRefusal(answer as object) ? (answer as { sentence: string }).sentence : answer;
const claims = ({ id }: Sold) =>
  scene.node.store.transactions.of(id, 'bitcoin').filter(({ purpose }) => purpose === 'claim');

async function minedUntil({ id }: Sold, at: string): Promise<void> {
  await expect
    .poll(async () => (await scene.world.mine(1), scene.node.at(id)), { timeout: 60_000, interval: 20 })
    .toBe(at);
}

test('signed by both it goes out by their key, cheaper than by the script, and is ours when it is buried', async () => {
  const swap = await sold(scene, true);
  const claim = await claimOf(scene, swap);
  expect(sha256Of(claim.preimage)).toEqual(swap.terms.hash);
  expect(scene.world.bitcoin.spend(swap.coin)).toBeUndefined();
  expect(await give(swap, halfOf(swap, claim))).toBeNull();
  expect(await takenBy(scene, swap)).toBe('key');
  const joint = scene.world.bitcoin.spend(swap.coin)?.txid ?? '';
  await scene.world.mine(1);
  await expect.poll(() => scene.node.status(swap.id), { timeout: 30_000 }).toBe('serverredeemed');
  await minedUntil(swap, 'claimed');
  expect(scene.node.store.swaps.byId(swap.id)?.flag ?? null).toBeNull();
  const states = new Map(claims(swap).map(({ txid, state }) => [txid === joint ? 'joint' : 'alone', state]));
  expect(Object.fromEntries(states)).toEqual({ joint: 'final', alone: 'dead' });
  const fee = scene.node.store.ledger.of(swap.id).find(({ kind }) => kind === 'network-fee-paid')?.amount ?? 0n;
  expect(-fee / 1_000n).toBeLessThan(140n);
});

test('fault 144, bitcoin: what makes no signature is refused, and the right one is taken', async () => {
  const swap = await sold(scene, true);
  const claim = await claimOf(scene, swap);
  const right = halfOf(swap, claim);
  const stranger = halfOf(swap, claim, new Uint8Array(32).fill(9));
  const wrong = [
    stranger,
    { ...right, publicNonce: new Uint8Array(66) },
    { ...right, partial: new Uint8Array(32) },
    { ...right, partial: new Uint8Array(32).fill(255) },
    { publicNonce: claim.publicNonce, partial: right.partial },
  ];
  for (const half of wrong) expect(sentence(await give(swap, half))).toMatch(/^The partial signature is not valid/);
  // Whoever asks is shown the same, and takes nothing from who asked before.
  expect((await claimOf(scene, swap)).publicNonce).toEqual(claim.publicNonce);
  expect(await give(swap, right)).toBeNull();
  expect(sentence(await give(swap, right))).toMatch(/^No claim of the service waits/);
  expect(await takenBy(scene, swap)).toBe('key');
  await minedUntil(swap, 'claimed');
});

test('fault 144, bitcoin: a client that never signs is waited for 15 seconds, and asked once', async () => {
  const swap = await sold(scene, true);
  const claim = await claimOf(scene, swap);
  const from = performance.now();
  expect(await takenBy(scene, swap)).toBe('claim');
  expect(performance.now() - from).toBeGreaterThan(13_000);
  expect(performance.now() - from).toBeLessThan(25_000);
  expect(sentence(await give(swap, halfOf(swap, claim)))).toMatch(/^No claim of the service waits/);
  scene.world.bitcoin.setFeeRate(40);
  scene.world.bitcoin.setMempoolMinimum(20);
  await expect.poll(() => claims(swap).length, { timeout: 60_000 }).toBe(2);
  expect(sentence(await scene.node.service.serverClaim(swap.id))).toMatch(/^No claim of the service waits/);
  expect(await takenBy(scene, swap)).toBe('claim');
  await minedUntil(swap, 'claimed');
});

test('one that did not say so is not waited for', async () => {
  const swap = await sold(scene, false);
  const from = performance.now();
  expect(await takenBy(scene, swap)).toBe('claim');
  expect(performance.now() - from).toBeLessThan(10_000);
  await minedUntil(swap, 'claimed');
});

test('it is asked for nothing before our payment settled, and a refund is not signed from then on', async () => {
  const { world, node } = scene;
  const swap = await sold(scene, true, false);
  expect(sentence(await node.service.serverClaim(swap.id))).toMatch(/^No claim of the service waits/);
  await claimOf(scene, swap);
  expect(node.store.partials.of(swap.coin).map(({ purpose, own }) => [purpose, own])).toEqual([['claim', true]]);
  expect(world.bitcoin.spend(swap.coin)).toBeUndefined();
  await minedUntil(swap, 'claimed');
});

test('fault 144, bitcoin: no block is let pass by which the script has to begin', async () => {
  const swap = await sold(scene, true);
  await claimOf(scene, swap);
  const from = performance.now();
  await scene.world.mine(swap.terms.htlc.refundHeight - scene.world.bitcoin.clock.height() - 1);
  expect(await takenBy(scene, swap)).toBe('claim');
  expect(performance.now() - from).toBeLessThan(10_000);
  await minedUntil(swap, 'claimed');
});

test('a node that starts again waits for nobody, and signs by no nonce of its last life', async () => {
  const swap = await sold(scene, true);
  const claim = await claimOf(scene, swap);
  await scene.restart();
  expect(sentence(await give(swap, halfOf(swap, claim)))).toMatch(/^No claim of the service waits/);
  expect(await takenBy(scene, swap)).toBe('claim');
  await minedUntil(swap, 'claimed');
});

test('where the spend cannot be noted it is not sent: the script goes on', async () => {
  const swap = await sold(scene, true);
  const claim = await claimOf(scene, swap);
  const { partials } = scene.node.store;
  vi.spyOn(partials, 'note').mockImplementation(() => {
    throw new Error('no room');
  });
  expect(await give(swap, halfOf(swap, claim))).toBeNull();
  expect(await takenBy(scene, swap)).toBe('claim');
  await minedUntil(swap, 'claimed');
});

test('that no mempool keeps any more is made again, dearer, by the script', async () => {
  const swap = await sold(scene, true);
  expect(await give(swap, halfOf(swap, await claimOf(scene, swap)))).toBeNull();
  expect(await takenBy(scene, swap)).toBe('key');
  scene.world.bitcoin.setFeeRate(30);
  scene.world.bitcoin.setMempoolMinimum(30);
  await expect
    .poll(() => scene.world.bitcoin.spend(swap.coin) !== undefined && takenBy(scene, swap), { timeout: 60_000 })
    .toBe('claim');
  await minedUntil(swap, 'claimed');
});

test('a copy of the database from before it knows the spend by the key of both for its own', async () => {
  const swap = await sold(scene, true);
  const claim = await claimOf(scene, swap);
  scene.backUp();
  expect(await give(swap, halfOf(swap, claim))).toBeNull();
  expect(await takenBy(scene, swap)).toBe('key');
  await scene.world.mine(8);
  await scene.restore();
  await expect.poll(() => scene.node.at(swap.id), { timeout: 60_000 }).toBe('claimed');
  expect(scene.node.store.swaps.byId(swap.id)?.flag ?? null).toBeNull();
});
