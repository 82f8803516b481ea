import { afterEach, beforeEach, expect, test } from 'vitest';
import { unknownActs } from '../../engine/service/unknown-acts.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { openScene, price, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

async function shown(): Promise<readonly string[]> {
  return (await unknownActs(scene.node.runtime)).map((act) => act.shown);
}

test('fault 72: a lock that the database forgot is seen by the coins of the wallet that it took', async () => {
  scene.backUp();
  const { coin } = await lockLightningArkade(scene);
  const level = await shown();
  await scene.restore({});
  const forgotten = await unknownActs(scene.node.runtime);
  const sentence = new RegExp(`^\\d+ sats left the Arkade wallet in transaction ${coin.outpoint.txid}$`);
  expect([level, forgotten.map((act) => act.shown)]).toEqual([[], [expect.stringMatching(sentence)]]);
  for (const act of forgotten) act.told?.();
  expect(await shown()).toEqual([]);
});

test('fault 72: a payment that the database forgot is seen before anything judges its swap again', async () => {
  const { client, world, node } = scene;
  const { bolt11 } = world.invoice(100_000n, { hold: true });
  const record = await client.createArkadeLightning(node, bolt11, 100_000n);
  const level = await shown();
  scene.backUp();
  world.faucet(record.arkade_vhtlc_address, price);
  await node.until(record.id, 'paying');
  const paying = await shown();
  let rolledBack: readonly string[] = [];
  await scene.restore({
    async beforeStart(runtime) {
      rolledBack = (await unknownActs(runtime)).map((act) => act.shown);
    },
  });
  expect([level, paying, rolledBack]).toEqual([[], [], [`the Lightning node has a payment for swap ${record.id}`]]);
});
