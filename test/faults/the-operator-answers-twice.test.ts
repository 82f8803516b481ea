import { afterEach, beforeEach, expect, test } from 'vitest';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { lockLightningArkade, payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  // What is asked for once more rests before it (facts/faults.md 50), longer than the others of these tests wait.
  scene = await openScene({ untilMs: 30_000 });
});
afterEach(() => scene.end());

/** Nobody's transaction: the operator names it and does not show it. */
const nobodys = '7'.repeat(64);

function callSpent(coin: Outpoint, by: string | null): void {
  scene.world.operator.faults.callSpent(outpointKey(coin), by);
}

/** What was begun for the swap has ended: the answer was taken. */
function idle(id: string): boolean {
  return scene.node.store.effects.of(id).length === 0;
}

test('fault 36: a coin that the operator calls spent, and then not, is claimed all the same', async () => {
  const { record, coin, release } = await payArkadeLightning(scene);
  callSpent(coin, nobodys);
  release('settles');
  await scene.node.until(record.id, 'claiming');
  await eventually(() => idle(record.id), 'the claim finds the coin spent');
  callSpent(coin, null);
  await scene.node.until(record.id, 'claimed');
  expect([scene.node.status(record.id), scene.node.runtime.guard.paused()]).toEqual(['serverredeemed', null]);
});

test('fault 36: a lock of ours that the operator calls spent, and then not, comes back all the same', async () => {
  const { world } = scene;
  const total = await scene.walletTotal();
  const { record, secret, coin } = await lockLightningArkade(scene);
  callSpent(coin?.outpoint as Outpoint, nobodys);
  await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
  await scene.node.until(record.id, 'refunding');
  await eventually(() => idle(record.id), 'the refund finds the coin spent');
  callSpent(coin?.outpoint as Outpoint, null);
  await scene.node.until(record.id, 'refunded');
  expect([world.paid(sha256Of(secret)), await scene.walletTotal()]).toEqual(['failed', total]);
});
