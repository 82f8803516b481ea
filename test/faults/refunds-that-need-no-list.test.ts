import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';
import { unlist } from '../support/unlisted.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

async function opened(): Promise<ArkadeLightningRecord> {
  return scene.client.createArkadeLightning(scene.node, scene.world.invoice(100_000n).bolt11, 100_000n);
}

/** The client knows its coin, and nobody gets a list of the others from now on. */
async function refundedWithoutList(record: ArkadeLightningRecord): Promise<bigint> {
  await scene.client.collabRefund(scene.node, record, ({ script }) => {
    unlist(scene.world, script);
    return true;
  });
  return scene.clientTotal();
}

test('fault 95, arkade: a refund is signed where the operator gives no list of the coins', async () => {
  const record = await opened();
  scene.world.faucet(record.arkade_vhtlc_address, price - 1n);
  await scene.node.until(record.id, 'stopped');
  expect(await refundedWithoutList(record)).toBe(price - 1n);
});

test('fault 95, arkade: and for a coin that came when the swap was long over', async () => {
  const record = await opened();
  await scene.world.advance(record.vhtlc_refund_locktime - scene.world.now() + 2 * 86_400);
  await eventually(() => scene.node.runtime.workingSet.size === 0, 'the swap is closed');
  scene.world.faucet(record.arkade_vhtlc_address, price);
  expect(await refundedWithoutList(record)).toBe(price);
  expect(scene.node.at(record.id)).not.toBe('lapsed');
});
