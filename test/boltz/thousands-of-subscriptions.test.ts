import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { DoorPeer } from '../../engine/api/door.ts';
import type { DoorContext } from '../../engine/boltz/context.ts';
import { newId } from '../../engine/boltz/ids.ts';
import { createRaws } from '../../engine/boltz/raws.ts';
import { createSocketSide } from '../../engine/boltz/socket.ts';
import { createTellings } from '../../engine/boltz/tellings.ts';
import { directions } from '../../engine/service/directions/directions.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { longestTurn } from '../support/turns.ts';

const everyHalfMinute = 30_000;
let scene: Scene;
beforeAll(async () => {
  scene = await openScene({}, 'usual');
});
afterAll(async () => {
  await scene.end();
});
afterEach(() => vi.restoreAllMocks());

/** A swap from Arkade to Lightning, which nobody funds; `open` or past its time. */
async function swapOf(open: boolean): Promise<string> {
  const { bolt11 } = scene.world.invoice(20_000n);
  const { id } = await scene.client.createArkadeLightning(scene.node, bolt11, 20_000n);
  if (open) return id;
  await scene.world.advance(1_900);
  await expect.poll(() => scene.node.status(id), { timeout: 60_000 }).toBe('expired');
  return id;
}

/** So many of the door's swaps that are as this one is. */
function manyLike(swapId: string, count: number): string[] {
  const { store } = scene.node;
  const row = store.swaps.byId(swapId);
  if (row === null) throw new Error('no such swap');
  const ids = Array.from({ length: count }, newId);
  store.atomically(() => {
    for (const id of ids) {
      const likeIt = randomUUID();
      store.swaps.insert({ ...row, id: likeIt, userId: null });
      store.boltzSwaps.insert(id, likeIt, [], null);
    }
  });
  return ids;
}

/** The socket's side of the door, the swaps that it reads, and what its half minutes do. */
function openSide() {
  const { runtime } = scene.node;
  const reads: string[] = [];
  const { swapOf: byId } = runtime.store.boltzSwaps;
  vi.spyOn(runtime.store.boltzSwaps, 'swapOf').mockImplementation((id) => (reads.push(id), byId(id)));
  let halfMinute: () => void = () => undefined;
  const { setInterval: real } = globalThis;
  vi.spyOn(globalThis, 'setInterval').mockImplementation(((act: () => void, ms: number) => {
    if (ms === everyHalfMinute) halfMinute = act;
    return real(act, ms);
  }) as never);
  const context = { runtime, directions, config: scene.node.config };
  const door = { context, raws: createRaws(runtime), tellings: createTellings() } as unknown as DoorContext;
  return { side: createSocketSide(door), reads, tick: () => halfMinute() };
}

function subscribeTo(side: ReturnType<typeof createSocketSide>, ids: readonly string[]) {
  const own = { updates: 0 };
  const peer = {
    send: (frame: { event?: string }) => void (own.updates += frame.event === 'update' ? 1 : 0),
    affords: () => true,
  };
  const socket = side.connect(peer as unknown as DoorPeer);
  for (let from = 0; from < ids.length; from += 100)
    socket.message(JSON.stringify({ op: 'subscribe', channel: 'swap.update', args: ids.slice(from, from + 100) }));
  return { own, left: () => socket.left() };
}

test('fault 178: a thousand swaps whose clients listen are looked at again one in each turn', async () => {
  const ids = manyLike(await swapOf(true), 1_000);
  const { side, reads, tick } = openSide();
  const { own, left } = subscribeTo(side, ids);
  await expect.poll(() => own.updates, { timeout: 20_000 }).toBe(1_000);
  reads.length = 0;
  const longest = await longestTurn(async () => {
    tick();
    await turn();
    expect(reads.length).toBeLessThan(20);
    await expect.poll(() => new Set(reads).size, { timeout: 20_000 }).toBe(1_000);
  });
  left();
  expect(longest).toBeLessThan(50);
});

test('fault 178: a swap that is over is not looked at again, however many listen to it', async () => {
  const ids = manyLike(await swapOf(false), 200);
  const { side, reads, tick } = openSide();
  const { own, left } = subscribeTo(side, ids);
  await expect.poll(() => own.updates, { timeout: 20_000 }).toBe(200);
  const other = subscribeTo(side, ids.slice(0, 1));
  await expect.poll(() => other.own.updates).toBe(1);
  reads.length = 0;
  tick();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(reads).toEqual([]);
  left();
  other.left();
});
