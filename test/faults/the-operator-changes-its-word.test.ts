import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ coins: { count: 4, sats: 1_000_000n } });
});
afterEach(() => scene.end());

async function delayBecomes(exitDelay: number): Promise<void> {
  const { world } = scene;
  world.operator.configure({ exitDelay, publicExitDelay: exitDelay });
  await eventually(
    async () => (await scene.node.ports.arkade!.info()).exitDelay === exitDelay,
    'the new delay is known',
    15_000,
  );
}

test('fault 41: an operator that lowers its exit delay hides no coin: all are renewed under the new one', async () => {
  const total = await scene.walletTotal();
  await delayBecomes(512);
  expect(await scene.walletTotal()).toBe(total);
  await scene.node.renewal.check();
  const { available, recoverable } = await scene.node.ports.arkade!.balance([]);
  expect({ available, recoverable }).toEqual({ available: total, recoverable: 0n });
}, 40_000);

test('fault 41: coins under a delay that the operator raised stay counted, and the owner is told', async () => {
  const { world } = scene;
  const total = await scene.walletTotal();
  await delayBecomes(2_048);
  expect(await scene.walletTotal()).toBe(total);
  const { address } = await scene.node.ports.arkade!.address();
  const fresh = world.faucet(address, 700_000n);
  world.expire(fresh);
  await scene.node.renewal.check();
  const { available, recoverable } = await scene.node.ports.arkade!.balance([]);
  expect({ available, recoverable }).toEqual({ available: 700_000n, recoverable: total });
  await scene.node.renewal.check();
  expect(scene.node.renewal.waiting()).toMatch(/raised its exit delay/);
}, 40_000);
