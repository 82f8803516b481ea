import { afterEach, expect, test } from 'vitest';
import { lockLightningArkade, payArkadeLightning } from '../support/openings.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.end());

/** Longer than any of these tests: what is seen was told, not polled. */
const never = { pollMs: 3_600_000 };

test('without any poll, what the networks tell carries both directions to their end', async () => {
  scene = await openScene(never);
  const inbound = await lockLightningArkade(scene, 50_000n);
  await scene.client.claim(inbound.record, inbound.secret);
  const outbound = await payArkadeLightning(scene, { amount: 50_000n });
  outbound.release('settles');
  await scene.node.until(inbound.record.id, 'claimed');
  await scene.node.until(outbound.record.id, 'claimed');
});

test('a restart watches what is open, and nothing of what has ended', async () => {
  scene = await openScene();
  const { client, world } = scene;
  const ended = await client.createArkadeLightning(scene.node, world.invoice(50_000n).bolt11, 50_000n);
  world.faucet(ended.arkade_vhtlc_address, BigInt(ended.source_amount));
  await scene.node.until(ended.id, 'claimed');
  const open = await client.createArkadeLightning(scene.node, world.invoice(60_000n).bolt11, 60_000n);
  await scene.restart(never);
  expect([...scene.node.runtime.workingSet.all()].map(({ row }) => row.id)).toEqual([open.id]);
  world.faucet(open.arkade_vhtlc_address, BigInt(open.source_amount));
  await scene.node.until(open.id, 'claimed');
});

test('a network that is not connected refuses new swaps with its name', async () => {
  scene = await openScene({ without: ['lightning'] });
  await expect(
    scene.client.createArkadeLightning(scene.node, scene.world.invoice(50_000n).bolt11, 50_000n),
  ).rejects.toThrow(/needs a Lightning node, and none is connected/);
});
