import { afterEach, expect, test } from 'vitest';
import { lockLightningArkade } from '../../support/openings.ts';
import { openScene, type Scene } from '../../support/scene.ts';

/*
 * A published client sets its secret on the first input of a claim alone: with two coins the operator refuses it
 * (facts/clients.md 23).
 */

let scene: Scene;
afterEach(() => scene.end());

test('a lock that takes many coins of ours to fund is one coin of the client, of exactly what was agreed', async () => {
  scene = await openScene({ coins: { count: 30, sats: 3_000n } });
  const { client, node } = scene;
  const { record, secret } = await lockLightningArkade(scene, 50_000n);
  expect((await client.coins(record)).map(({ amount }) => amount)).toEqual([BigInt(record.target_amount)]);
  await client.claim(record, secret);
  await node.until(record.id, 'claimed');
});

test('a client claims the lock and what a stranger sent beside it in one transaction', async () => {
  scene = await openScene();
  const { client, world, node } = scene;
  const { record, secret } = await lockLightningArkade(scene, 50_000n);
  world.faucet(record.arkade_vhtlc_address, 1_000n);
  await client.claim(record, secret);
  await node.until(record.id, 'claimed');
  expect((await client.coins(record)).map(({ amount, spent }) => [amount, spent]).sort()).toEqual([
    [1_000n, true],
    [49_875n, true],
  ]);
});
