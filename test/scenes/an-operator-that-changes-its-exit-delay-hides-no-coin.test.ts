import { afterEach, beforeEach, expect, test } from 'vitest';
import { alertName } from '../../engine/runtime/alert-names.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

const day = 86_400;
const all = 16n * 2_500_000n;

async function ask(delay: number): Promise<void> {
  scene.world.operator.configure({ exitDelay: delay, publicExitDelay: delay });
  await eventually(
    async () => Number((await scene.node.ports.arkade!.info()).exitDelay) === delay,
    'the new delay is known',
  );
}

function balance() {
  return scene.node.ports.arkade!.balance([]);
}

test('fault 41: a shorter one: what lies under the longer one is spent at once, and renewed in time', async () => {
  const { client, world } = scene;
  await ask(1_024);
  const { available } = await balance();
  await scene.node.networks.refresh();
  const { record: swap, secret } = await lockLightningArkade(scene);
  await client.claim(swap, secret);
  await scene.node.until(swap.id, 'claimed');
  const soonest = Math.min(...(await scene.node.ports.arkade!.walletCoins()).map(({ expiresAt }) => expiresAt));
  await world.advance(soonest - world.now() - day);
  await scene.node.renewal.check();
  const left = (await scene.node.ports.arkade!.walletCoins()).map(({ expiresAt }) => expiresAt - world.now());
  const { coins: _, ...after } = await balance();
  expect({ available, after, renewed: Math.min(...left) > 2 * day }).toEqual({
    available: all,
    after: { available: all - 99_750n, recoverable: 0n, pending: 0n },
    renewed: true,
  });
});

test('fault 41: a longer one: what lies under the shorter one stays in sight over a restart', async () => {
  const { world } = scene;
  await ask(2_048);
  await scene.restart();
  expect(await balance()).toMatchObject({ available: 0n, recoverable: all });
  const { address } = await scene.node.ports.arkade!.address();
  world.faucet(address, 500_000n);
  const alerts: string[] = [];
  scene.node.runtime.onAlert(({ sentence }) => void alerts.push(sentence));
  await world.advance(5 * day);
  await scene.node.renewal.check();
  await scene.node.renewal.check();
  const fresh = (await scene.node.ports.arkade!.walletCoins())
    .filter(({ old }) => !old)
    .map(({ amount, expiresAt }) => [amount, expiresAt - world.now() > 5 * day]);
  expect({
    fresh,
    alerts: alerts
      .filter((one) => one.includes('the operator refuses to move them'))
      .map((one) => alertName(null, one)),
    waits: scene.node.renewal.waiting(),
  }).toEqual({
    fresh: [[500_000n, true]],
    alerts: ['exit-delay-raised'],
    waits: expect.stringMatching(/raised its exit delay/),
  });
});

test('money that is sent to an address of before still arrives', async () => {
  const { address } = await scene.node.ports.arkade!.address();
  await ask(1_024);
  await scene.restart();
  scene.world.faucet(address, 700_000n);
  expect((await balance()).available).toBe(all + 700_000n);
});
