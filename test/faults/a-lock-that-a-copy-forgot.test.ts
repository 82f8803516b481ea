import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromHex } from '../../engine/domain/hex.ts';
import { createReconciliation } from '../../engine/service/reconciliation.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

test.each([30, 2_000])(
  'fault 5: a held payment stays for a lock that the copy forgot, %s seconds later',
  async (later) => {
    const { client, world } = scene;
    const secret = client.secret();
    const record = await client.createLightningArkade(scene.node, 100_000n, secret);
    const paid = () => world.paid(fromHex(record.hash_lock.slice(2)));
    scene.backUp();
    world.pay(record.bolt11_invoice);
    await scene.node.until(record.id, 'locked');
    await scene.node.kill();
    await world.advance(later);
    await scene.restore();
    await scene.node.until(record.id, 'stopped');
    const { runtime } = scene.node;
    await runtime.wake();
    expect(paid()).toBe('in-flight');
    await client.claim(record, secret);
    await createReconciliation({ runtime, everyMs: 3_600_000, log: runtime.log }).check();
    await expect.poll(paid).toBe('settled');
    expect(scene.lightning()).toBe(100_000_000n);
  },
);
