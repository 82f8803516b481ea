import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { OwnerSwapsQuery } from '../../../engine/contract/owner/swaps.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { height, unix } from '../../../engine/domain/time.ts';
import { payArkadeLightning } from '../../support/openings.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

const openOnes = { direction: null, status: null, open: true, text: null, cursor: null, limit: 50 } as const;

async function read(query: Partial<OwnerSwapsQuery>) {
  const page = await scene.node.service.owner.swaps({ ...openOnes, ...query });
  if (isRefusal(page)) throw new Error(page.sentence);
  return { ids: page.swaps.map(({ id }) => id), next: page.next_cursor };
}

/** Page after page, until there is none. */
async function readAll(query: Partial<OwnerSwapsQuery>): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { ids, next } = await read({ ...query, cursor: cursor ?? null });
    pages.push(ids);
    cursor = next;
  }
  return pages;
}

async function waiting(): Promise<string> {
  const { client, node } = scene;
  return (await client.createLightningArkade(node, 50_000n, client.secret())).id;
}

test('fault 279, arkade: every open swap is on one of the pages, the most urgent first', async () => {
  const ids = [await waiting(), await waiting(), await waiting()];
  const pages = await readAll({ limit: 2 });
  expect([pages.map(({ length }) => length), new Set(pages.flat())]).toEqual([[2, 1], new Set(ids)]);
  expect(pages.flat()).toEqual((await read({})).ids);
  expect(await readAll({ limit: 3 })).toHaveLength(1);
});

test('fault 279, arkade: what nobody paid for stands behind what holds money, however urgent it is', async () => {
  const free = [await waiting(), await waiting(), await waiting()];
  const { record, release } = await payArkadeLightning(scene);
  expect((await read({ limit: 1 })).ids).toEqual([record.id]);
  const listed = (await readAll({ limit: 1 })).flat();
  expect([listed[0], new Set(listed.slice(1))]).toEqual([record.id, new Set(free)]);
  release('settles');
  await scene.node.until(record.id, 'claimed');
});

test('fault 279, arkade: what nobody paid for in its time, and is watched on, stands behind it too', async () => {
  const { client, world } = scene;
  const { bolt11 } = world.invoice(50_000n);
  const { id } = await client.createArkadeLightning(scene.node, bolt11, 50_000n);
  await world.advance(2_000);
  await expect.poll(() => scene.node.status(id), { timeout: 20_000 }).toBe('expired');
  const { record, release } = await payArkadeLightning(scene);
  expect((await readAll({ limit: 1 })).flat()).toEqual([record.id, id]);
  release('settles');
  await scene.node.until(record.id, 'claimed');
});

/** A swap to Lightning of which its client locked the half. */
async function halfPaid(): Promise<string> {
  const { client, node, world } = scene;
  const {
    id,
    arkade_vhtlc_address: address,
    source_amount: amount,
  } = await client.createArkadeLightning(node, world.invoice(50_000n).bolt11, 50_000n);
  world.faucet(address, BigInt(amount) / 2n + 1n);
  await node.until(id, 'stopped');
  return id;
}

test('fault 279, arkade: what is given stands before what strangers paid in part, also without a deadline', async () => {
  const half = [await halfPaid(), await halfPaid(), await halfPaid()];
  const { record, release } = await payArkadeLightning(scene);
  const free = await waiting();
  expect((await read({ limit: 1 })).ids).toEqual([record.id]);
  const listed = (await readAll({ limit: 1 })).flat();
  expect([listed[0], new Set(listed.slice(1, 4)), listed[4]]).toEqual([record.id, new Set(half), free]);
  release('settles');
  await scene.node.until(record.id, 'claimed');
});

test('fault 279, bitcoin: blocks between two pages leave out no swap whose deadline is a height', async () => {
  const ids = [await waiting(), await waiting()];
  const [byTime, byHeight] = ids.map((id) => scene.node.runtime.workingSet.find(id));
  if (byTime === undefined || byTime === null || byHeight === undefined || byHeight === null)
    throw new Error('no swap');
  const { machine } = byTime;
  const first = toHex(machine.hash160(byTime.row.terms));
  const { mtp, height: tip } = scene.node.runtime.clock.now().bitcoin;
  const deadlines = vi
    .spyOn(machine, 'deadline')
    .mockImplementation((terms) =>
      toHex(machine.hash160(terms)) === first ? unix((mtp ?? 0) + 1_000) : height((tip ?? 0) + 3),
    );
  onTestFinished(() => deadlines.mockRestore());
  const page = await read({ limit: 1 });
  await scene.world.mine(2);
  await expect.poll(() => scene.node.runtime.clock.now().bitcoin.height, { timeout: 20_000 }).toBe((tip ?? 0) + 2);
  const next = await read({ limit: 1, cursor: page.next });
  expect([page.ids, next]).toEqual([[byTime.row.id], { ids: [byHeight.row.id], next: null }]);
});

test('fault 279, arkade: a coin that waits for the name of its invoice is no swap that nobody paid for', async () => {
  const { client, node, world } = scene;
  const free = [await waiting(), await waiting()];
  await world.advance(10);
  const { id } = await client.createArkadeLightning(node, world.invoice(50_000n).bolt11, 50_000n);
  const paid = { status: 'clientfundingseen', progress: { at: 'unnamed', extras: [] } } as const;
  const all = [...node.runtime.workingSet.all()].map((entry) =>
    entry.row.id === id ? { ...entry, row: { ...entry.row, ...paid } } : entry,
  );
  const entries = vi.spyOn(node.runtime.workingSet, 'all').mockImplementation(() => all.values());
  onTestFinished(() => entries.mockRestore());
  expect((await read({})).ids).toEqual([id, ...free.sort()]);
});

test('a cursor of another list is refused', async () => {
  for (const cursor of ['1.x', '4..x', '1.2.x', '1.2.x.y', '5..x..', '1..x.1', 'x'])
    expect(await scene.node.service.owner.swaps({ ...openOnes, cursor })).toMatchObject({ refusal: 'invalid' });
});
