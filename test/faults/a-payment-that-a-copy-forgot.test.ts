import { afterEach, beforeEach, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { openScene, price, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

/** The backup is from before the coin; the node is back after the funding window, while the payee holds the payment. */
async function restoredLate() {
  const { client, world } = scene;
  const { bolt11, hash } = world.invoice(100_000n, { hold: true });
  const record = await client.createArkadeLightning(scene.node, bolt11, 100_000n);
  scene.backUp();
  world.faucet(record.arkade_vhtlc_address, price);
  await scene.node.until(record.id, 'paying');
  await scene.node.kill();
  await world.advance(2_000);
  await scene.restore();
  await scene.node.until(record.id, 'stopped');
  return { record, release: (outcome: 'settles' | 'fails') => world.lightning.release(toHex(hash), outcome) };
}

test('fault 5: no refund is signed while a payment that the copy forgot is held, and its secret claims', async () => {
  const { record, release } = await restoredLate();
  await expect(scene.client.collabRefund(scene.node, record)).rejects.toThrow(/Refund not allowed/);
  release('settles');
  await scene.node.until(record.id, 'claimed');
  expect(await scene.clientTotal()).toBe(0n);
});

test('fault 5: once that payment failed the client has its refund signed', async () => {
  const { record, release } = await restoredLate();
  release('fails');
  await scene.client.collabRefund(scene.node, record);
  expect(await scene.clientTotal()).toBe(price);
});
