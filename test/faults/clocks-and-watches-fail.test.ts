import { afterEach, expect, test, vi } from 'vitest';
import { createWakefulness } from '../../engine/runtime/wakefulness.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { openScene, price, type Scene } from '../support/scene.ts';
import { anyFailure } from '../support/failure.ts';

let scene: Scene | null = null;
afterEach(async () => {
  await scene?.end();
  scene = null;
  vi.useRealTimers();
});

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

test('fault 36: while the chain is silent nothing is locked and no refund of ours is made', async () => {
  scene = await openScene();
  const { client, world } = scene;
  const [one, two] = [client.secret(), client.secret()];
  const locked = await client.createLightningArkade(scene.node, 50_000n, one);
  const open = await client.createLightningArkade(scene.node, 50_000n, two);
  world.pay(locked.bolt11_invoice);
  await scene.node.until(locked.id, 'locked');
  await scene.restart({ without: ['bitcoin'] });
  world.pay(open.bolt11_invoice);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([scene.node.at(locked.id), scene.node.at(open.id)]).toEqual(['locked', 'pending']);
  await world.advance(locked.vhtlc_refund_locktime - world.now() + 60);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(scene.node.at(locked.id)).toBe('locked');
  await scene.restart({});
  await scene.node.until(locked.id, 'refunded');
});

test('fault 38: more scripts than one question takes are all looked at', async () => {
  scene = await openScene({ config: { caps: {} }, untilMs: 20_000 });
  const { client, node, world } = scene;
  const records = [];
  for (let i = 0; i < 45; i++)
    records.push(await client.createArkadeLightning(node, world.invoice(100_000n).bolt11, 100_000n));
  await node.kill();
  for (const { arkade_vhtlc_address } of records) world.faucet(arkade_vhtlc_address, price);
  await scene.restart();
  await Promise.all(records.map(({ id }) => scene!.node.until(id, 'claimed')));
  expect(world.lightning.payments('node').length).toBe(45);
});

test('fault 38: an event that the operator never sends is found by looking', async () => {
  scene = await openScene();
  const { client, node, world } = scene;
  const record = await client.createArkadeLightning(node, world.invoice(100_000n).bolt11, 100_000n);
  world.operator.faults.dropNextEvent();
  world.faucet(record.arkade_vhtlc_address, price);
  await node.until(record.id, 'claimed');
  const lock = await lockLightningArkade(scene);
  world.operator.faults.dropNextEvent();
  await client.claim(lock.record, lock.secret);
  await node.until(lock.record.id, 'claimed');
});

test('fault 39: after a day of sleep or a clock that jumped nothing opens before all was looked at', async () => {
  scene = await openScene({}, 'usual');
  const { guard } = scene.node.runtime;
  vi.useFakeTimers();
  const reasons: (string | null)[] = [];
  let looked = 0;
  const wakefulness = createWakefulness({
    guard,
    log: quiet,
    lookAgain: async () => {
      looked += 1;
      reasons.push(guard.paused()?.reason ?? null);
    },
  });
  wakefulness.start();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(looked).toBe(0);
  for (const jump of [86_400_000, -86_400_000]) {
    vi.setSystemTime(Date.now() + jump);
    await vi.advanceTimersByTimeAsync(5_000);
  }
  wakefulness.stop();
  vi.useRealTimers();
  expect({ looked, reasons, after: guard.paused() }).toEqual({
    looked: 2,
    reasons: [1, 2].map(() => expect.stringMatching(/has just woken up/)),
    after: null,
  });
});

test('fault 54: a coin that came while the operator was away keeps its swap from expiring', async () => {
  let away = false;
  scene = await openScene({
    onBoundary(what, moment) {
      if (away && what === 'arkade.coins' && moment === 'before')
        throw anyFailure('away', 'safe', 'the operator does not answer');
    },
  });
  const { client, node, world } = scene;
  const swap = await client.createArkadeLightning(node, world.invoice(100_000n).bolt11, 100_000n);
  away = true;
  world.faucet(swap.arkade_vhtlc_address, price);
  await world.advance(3_600);
  const statuses = [node.status(swap.id)];
  node.runtime.commits.onCommit(({ entry: { row } }) => void (row.id === swap.id && statuses.push(row.status)));
  await new Promise((resolve) => setTimeout(resolve, 500));
  away = false;
  await node.until(swap.id, 'stopped');
  expect(statuses).toEqual(['pending', 'clientfundedtoolate']);
});
