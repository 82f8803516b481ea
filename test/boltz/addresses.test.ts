import { afterEach, expect, test, vi } from 'vitest';
import type { Service } from '../../engine/api/service.ts';
import type { DoorContext } from '../../engine/boltz/context.ts';
import { openThrough } from '../../engine/boltz/opening.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { noSats, sats } from '../../engine/domain/money.ts';
import type { ArkadeLightningTerms } from '../../engine/swap/directions/arkade-lightning.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
afterEach(async () => {
  vi.restoreAllMocks();
  await scene.end();
});

const price = { source: sats(50_100), target: sats(50_000), fee: sats(100), networkFee: noSats };

/** What a client that pays from Arkade is answered where this is saved of its swap. */
async function answerOf(saved: (terms: ArkadeLightningTerms) => ArkadeLightningTerms) {
  const { world, client, node } = scene;
  const { bolt11 } = world.invoice(50_000n);
  const door = { context: node, service: node.service } as unknown as DoorContext;
  const { workingSet } = node.runtime;
  return openThrough(door, { keys: [], price, webhook: undefined, client: null }, async (common) => {
    const create: Service['create'] = (direction, request) =>
      node.service.create(direction, { ...request, ...common }, null);
    const named = { ...node, service: { ...node.service, create } };
    const created = await client.createArkadeLightning(named, bolt11, 50_000n);
    const entry = workingSet.readable(created.id);
    if (entry === null) throw new Error('no such swap');
    const row = { ...entry.row, terms: saved(entry.row.terms as ArkadeLightningTerms) };
    vi.spyOn(workingSet, 'readable').mockReturnValue({ ...entry, row });
    return created;
  });
}

test('no address is answered that the terms of the swap do not make', async () => {
  scene = await openScene();
  expect(isRefusal(await answerOf((terms) => terms))).toBe(false);
  vi.restoreAllMocks();
  const refusal = { refusal: 'unavailable', sentence: expect.stringContaining('is not that of its script') as string };
  expect(await answerOf((terms) => ({ ...terms, address: scene.client.address }))).toMatchObject(refusal);
  vi.restoreAllMocks();
  const strict = ({ vhtlc: { sizeGuard: _, ...vhtlc }, ...terms }: ArkadeLightningTerms) => ({ ...terms, vhtlc });
  expect(await answerOf(strict)).toMatchObject(refusal);
});
