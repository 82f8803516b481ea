import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

async function retried(id: string): Promise<string> {
  const answer = await scene.node.service.owner.retry(id);
  return isRefusal(answer) ? answer.sentence : answer.at;
}

test("the owner's retry hastens what rests, and is refused where nothing is owed", async () => {
  const { client, world, node } = scene;
  const swap = await client.createLightningArkade(node, 100_000n, client.secret());
  const idle = await retried(swap.id);
  world.operator.faults.away();
  world.pay(swap.bolt11_invoice);
  await node.until(swap.id, 'funded');
  const attempts = () => node.store.effects.of(swap.id)[0]?.attempts ?? 0;
  // From here on it rests for six seconds at least.
  await eventually(() => attempts() >= 6, 'the lock was tried often');
  const justTried = await retried(swap.id);
  const { id } = node.store.effects.insert(
    swap.id,
    { do: 'vhtlc.finalize', purpose: 'refund', txid: 'nobody knows it' },
    0,
  );
  node.store.effects.park(id, 'for the test', node.runtime.clock.now().wall * 1_000 + 600_000);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  world.operator.faults.back();
  const start = performance.now();
  const during = await retried(swap.id);
  await node.until(swap.id, 'locked');
  expect({ idle, justTried, during, soon: performance.now() - start < 4_000 }).toEqual({
    idle: expect.stringMatching(/^Nothing of this swap/),
    justTried: 'funded',
    during: 'funded',
    soon: true,
  });
});
