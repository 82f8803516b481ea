import { afterEach, expect, test, vi } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { lightningFailure } from '../../engine/legs/lightning/failures.ts';
import { alertName } from '../../engine/runtime/alert-names.ts';
import { lightningOf } from '../../engine/runtime/ports.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.end());

test('an act that was given up is told of with its reason, and made once its owner says so', async () => {
  scene = await openScene();
  const { client, node } = scene;
  const alerts: (readonly [swap: string | null, name: string, sentence: string])[] = [];
  node.runtime.onAlert(({ swap, sentence }) => alerts.push([swap, alertName(swap, sentence), sentence]));
  const { record, secret } = await lockLightningArkade(scene);
  vi.spyOn(lightningOf(node.ports), 'settle').mockRejectedValueOnce(
    lightningFailure('lightning-error', 'never', 'permission denied'),
  );
  await client.claim(record, secret);
  await eventually(() => alerts.length > 0, 'it is told');
  expect(alerts).toEqual([[record.id, 'act-given-up', '"hold.settle" was given up: permission denied']]);
  expect(isRefusal(node.service.owner.retry(record.id))).toBe(false);
  await node.until(record.id, 'claimed');
});
