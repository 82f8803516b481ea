import { afterEach, beforeEach, expect, test } from 'vitest';
import { commitsIn } from '../support/commits.ts';
import { payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

test('claims of one moment are prepared, accepted and final in commits that they share', async () => {
  const count = 12;
  const swaps = [];
  for (let i = 0; i < count; i++) swaps.push(await payArkadeLightning(scene, { amount: 20_000n }));
  await eventually(() => scene.node.store.effects.waiting().length === 0, 'every payment is on its way');
  const before = commitsIn(scene.node.folder);
  for (const { release } of swaps) release('settles');
  for (const { record } of swaps) await scene.node.until(record.id, 'claimed');
  expect(commitsIn(scene.node.folder) - before).toBeLessThanOrEqual(count);
});
