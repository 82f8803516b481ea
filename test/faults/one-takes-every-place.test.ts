import { afterEach, expect, test } from 'vitest';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.end());

test('fault 52: while sixty swaps wait for the wallet, a claim seen is settled at once', async () => {
  scene = await openScene({ coins: { count: 61, sats: 100_000n } });
  const { world, client, node } = scene;
  const { record: claimed, secret } = await lockLightningArkade(scene, 50_000n);

  let renewed: () => void = () => undefined;
  const renewal = node.runtime.alone('arkade', () => new Promise<void>((resolve) => (renewed = resolve)));
  const waiting: string[] = [];
  for (let i = 0; i < 60; i++) {
    const record = await client.createLightningArkade(node, 50_000n, client.secret());
    world.pay(record.bolt11_invoice);
    waiting.push(record.id);
  }
  await eventually(() => waiting.every((id) => node.at(id) === 'funded'), 'sixty payments are held');
  await client.claim(claimed, secret);
  await eventually(() => node.at(claimed.id) === 'claimed', 'the claim is settled while they wait');
  expect(waiting.map((id) => node.at(id))).toEqual(waiting.map(() => 'funded'));

  renewed();
  await renewal;
  await eventually(
    () => waiting.filter((id) => node.at(id) === 'locked').length >= 10,
    'one lock after the other is made',
  );
});
