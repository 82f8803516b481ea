import { afterEach, beforeEach, expect, test } from 'vitest';
import { day } from '../../engine/domain/time.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

test('a client that takes its late coin back days after its locktime is told of once the swap is read', async () => {
  const { node, world, client } = scene;
  const { bolt11 } = world.invoice(100_000n, { expirySeconds: 7_200 });
  const record = await client.createArkadeLightning(node, bolt11, 100_000n);
  await world.advance(3_700);
  await eventually(() => node.at(record.id) === 'stopped', 'its funding window is over');
  world.faucet(record.arkade_vhtlc_address, price);
  await eventually(() => node.status(record.id) === 'clientfundedtoolate', 'the late coin is seen');
  await world.advance(record.vhtlc_refund_locktime - world.now() + 2 * day);
  await eventually(() => node.store.swaps.byId(record.id)?.open === false, 'nobody watches it any more');
  await client.refundAlone(record);
  expect(node.status(record.id)).toBe('clientfundedtoolate');
  node.service.swap(record.id);
  await eventually(() => node.status(record.id) === 'clientrefunded', 'its refund is told');
});
