import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { openThrough } from '../../engine/boltz/opening.ts';
import { userIdOf } from '../../engine/boltz/ids.ts';
import { createPostbox } from '../../engine/boltz/postbox.ts';
import { tellWebhooks } from '../../engine/boltz/webhooks.ts';
import type { DoorContext } from '../../engine/boltz/context.ts';
import type { Service } from '../../engine/api/service.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { directions } from '../../engine/service/directions/directions.ts';
import { noSats, sats } from '../../engine/domain/money.ts';
import type { Webhook } from '../../engine/store/boltz-swaps.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { claimOf, sold } from '../support/server-claim.ts';

let scene: Scene;
const ending: (() => void)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) end();
  vi.restoreAllMocks();
  await scene.end();
});

/** What happens each half minute, which is called by hand. */
function halfMinutes(): { readonly pass: () => void } {
  const acts = new Set<() => void>();
  const { setInterval: real } = globalThis;
  vi.spyOn(globalThis, 'setInterval').mockImplementation(((act: () => void, ms: number) => {
    if (ms === 30_000) acts.add(act);
    return real(act, ms);
  }) as typeof setInterval);
  return { pass: () => acts.forEach((act) => act()) };
}

/** What is told of the node's swaps, at whatever address. */
function listen(enabled = true): { readonly door: DoorContext; readonly calls: [string, unknown][] } {
  const calls: [string, unknown][] = [];
  const context = { ...scene.node, directions, config: { ...scene.node.config, boltz: { enabled } } };
  const door = { context, service: scene.node.service, readToSign: new Map() } as unknown as DoorContext;
  const post = async (url: URL, json: string) => {
    calls.push([url.href, JSON.parse(json)]);
    return 'taken' as const;
  };
  ending.push(tellWebhooks(door, createPostbox(post)));
  return { door, calls };
}

const everything: Webhook = { url: 'https://told.example/x', hashed: false, statuses: null };

/** A client that names an address makes a swap from Arkade, and locks so much for it. */
async function lockWith(door: DoorContext, webhook: Webhook | undefined, amount = 50_100n) {
  const { world, client, node } = scene;
  const { bolt11 } = world.invoice(50_000n);
  const price = { source: sats(50_100), target: sats(50_000), fee: sats(100), networkFee: noSats };
  const swap = await openThrough(door, { keys: [], price, webhook, client: null }, (common) => {
    const create: Service['create'] = (direction, request) =>
      node.service.create(direction, { ...request, ...common }, null);
    return client.createArkadeLightning({ ...node, service: { ...node.service, create } }, bolt11, 50_000n);
  });
  if (isRefusal(swap)) throw new Error(swap.sentence);
  const { address } = swap.entry.row.terms as { readonly address: string };
  world.faucet(address, amount);
  return { id: swap.id, swapId: swap.entry.row.id };
}

/** The same, and its invoice is paid. */
async function swapWith(door: DoorContext, webhook: Webhook | undefined): Promise<string> {
  const { id, swapId } = await lockWith(door, webhook);
  await scene.node.until(swapId, 'claimed');
  return id;
}

const update = (id: string, status: string) => [
  'https://told.example/x',
  { event: 'swap.update', data: { id, status } },
];

test('a client that named an address is told what becomes of its swap, and each status once', async () => {
  scene = await openScene();
  const { door, calls } = listen();
  const id = await swapWith(door, everything);
  await expect.poll(() => calls.at(-1)).toEqual(update(id, 'transaction.claimed'));
  expect(calls[0]).toEqual(update(id, 'invoice.set'));
  expect(new Set(calls.map((one) => JSON.stringify(one))).size).toBe(calls.length);
});

test('by the hash of its id, and of the statuses that it named alone', async () => {
  scene = await openScene();
  const { door, calls } = listen();
  const statuses = ['transaction.claimed', 'transaction.lockupFailed'];
  const id = await swapWith(door, { url: 'https://told.example/x', hashed: true, statuses });
  const hashed = createHash('sha256').update(id).digest('hex');
  await expect.poll(() => calls).toEqual([update(hashed, 'transaction.claimed')]);
});

test('nothing is told of a swap that named no address', async () => {
  scene = await openScene();
  const { door, calls } = listen();
  await swapWith(door, undefined);
  expect(calls).toEqual([]);
});

test('nothing is told while the door is shut', async () => {
  scene = await openScene();
  const { door, calls } = listen(false);
  await swapWith(door, everything);
  expect(calls).toEqual([]);
});

test('our lock on Arkade is told by the word for one that is seen, and by that for a sure one', async () => {
  scene = await openScene();
  const { calls } = listen();
  const { world, client, node } = scene;
  const [id, webhook] = ['aPaidInvoice', everything];
  const create: Service['create'] = (direction, request) =>
    node.service.create(direction, { ...request, userId: userIdOf(id) }, null);
  const named = { ...node, service: { ...node.service, create } };
  const record = await client.createLightningArkade(named, 100_000n, client.secret());
  node.store.boltzSwaps.insert(id, record.id, [], webhook);
  world.pay(record.bolt11_invoice);
  await node.until(record.id, 'locked');
  const words = ['transaction.mempool', 'transaction.confirmed'];
  await expect.poll(() => calls.slice(-2)).toEqual(words.map((word) => update(id, word)));
});

test('what the clock alone moves is told as well, once, and nothing of it after the last word', async () => {
  scene = await openScene();
  const { pass } = halfMinutes();
  const { door, calls } = listen();
  const { id, swapId } = await lockWith(door, everything, 40_000n);
  await expect.poll(() => calls.at(-1)).toEqual(update(id, 'transaction.lockupFailed'));
  const terms = scene.node.store.swaps.byId(swapId)?.terms as { readonly vhtlc: { readonly refundLocktime: number } };
  await scene.world.advance(terms.vhtlc.refundLocktime - scene.world.now() + 12 * 3_600);
  const before = calls.length;
  pass();
  await expect.poll(() => calls.slice(before)).toEqual([update(id, 'swap.expired')]);
  pass();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(calls.length).toBe(before + 1);
});

test('what moved while the node was away is told after its start', async () => {
  scene = await openScene();
  const { pass } = halfMinutes();
  const { door, calls } = listen();
  const { id } = await lockWith(door, everything, 40_000n);
  await expect.poll(() => calls.at(-1)).toEqual(update(id, 'transaction.lockupFailed'));
  ending.splice(0).forEach((end) => end());
  const again = listen();
  pass();
  await expect.poll(() => again.calls).toEqual([update(id, 'transaction.lockupFailed')]);
  expect(calls.filter((call) => JSON.stringify(call).includes('lockupFailed')).length).toBe(1);
});

test('fault 318, bitcoin: an address that was told to sign is told no earlier word after a start', async () => {
  scene = await openScene({ bitcoinWallet: true });
  const { pass } = halfMinutes();
  const id = 'aPaidInvoice';
  const swap = await sold(scene, true, true, userIdOf(id));
  scene.node.store.boltzSwaps.insert(id, swap.id, [], everything);
  await claimOf(scene, swap);
  // As after a start: nobody is waited for any more.
  scene.node.runtime.jointClaims.end(swap.id);
  const { calls } = listen();
  pass();
  await expect
    .poll(async () => (await scene.world.mine(1), scene.node.at(swap.id)), { timeout: 60_000, interval: 20 })
    .toBe('claimed');
  await expect.poll(() => calls.at(-1)).toEqual(update(id, 'transaction.claimed'));
  expect(calls).toHaveLength(1);
}, 120_000);
