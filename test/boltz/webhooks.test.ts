import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { openThrough } from '../../engine/boltz/opening.ts';
import { createPostbox } from '../../engine/boltz/postbox.ts';
import { tellWebhooks } from '../../engine/boltz/webhooks.ts';
import type { DoorContext } from '../../engine/boltz/context.ts';
import type { Service } from '../../engine/api/service.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { noSats, sats } from '../../engine/domain/money.ts';
import type { Webhook } from '../../engine/store/boltz-swaps.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.end());

/** What is told of the node's swaps, at whatever address. */
function listen(enabled = true): { readonly door: DoorContext; readonly calls: [string, unknown][] } {
  const calls: [string, unknown][] = [];
  const context = { ...scene.node, config: { ...scene.node.config, boltz: { enabled } } };
  const door = { context, service: scene.node.service } as unknown as DoorContext;
  const post = async (url: URL, json: string) => {
    calls.push([url.href, JSON.parse(json)]);
    return 'taken' as const;
  };
  tellWebhooks(door, createPostbox(post));
  return { door, calls };
}

/** A client that names an address pays from Arkade, and its invoice is paid. */
async function swapWith(door: DoorContext, webhook: Webhook | undefined): Promise<string> {
  const { world, client, node } = scene;
  const { bolt11 } = world.invoice(50_000n);
  const price = { source: sats(50_100), target: sats(50_000), fee: sats(100), networkFee: noSats };
  const swap = await openThrough(door, { keys: [], price, webhook }, (common) => {
    const create: Service['create'] = (direction, request) =>
      node.service.create(direction, { ...request, ...common }, null);
    return client.createArkadeLightning({ ...node, service: { ...node.service, create } }, bolt11, 50_000n);
  });
  if (isRefusal(swap)) throw new Error(swap.sentence);
  const { address } = swap.entry.row.terms as { readonly address: string };
  world.faucet(address, 50_100n);
  await node.until(swap.entry.row.id, 'claimed');
  return swap.id;
}

const update = (id: string, status: string) => [
  'https://told.example/x',
  { event: 'swap.update', data: { id, status } },
];

test('a client that named an address is told what becomes of its swap, and each status once', async () => {
  scene = await openScene();
  const { door, calls } = listen();
  const id = await swapWith(door, { url: 'https://told.example/x', hashed: false, statuses: null });
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
  await swapWith(door, { url: 'https://told.example/x', hashed: false, statuses: null });
  expect(calls).toEqual([]);
});
