import { afterEach, beforeEach, expect, test } from 'vitest';
import { sha256Of } from '../../engine/legs/secret.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { anyFailure } from '../support/failure.ts';

let scene: Scene;
/** Methods of the ports that get no answer now. */
let away: Set<string>;
let submissions: number;

beforeEach(async () => {
  away = new Set();
  submissions = 0;
  scene = await openScene({
    onBoundary(what, moment) {
      if (moment !== 'before') return;
      if (away.has(what)) throw anyFailure('away', 'ask-first', `${what} gets no answer`);
      if (what !== 'arkade.submit' || submissions++ > 0) return;
      // Accepted, the answer lost, and from then on the operator is silent.
      scene.world.operator.faults.loseNextSubmit();
      away = new Set(['arkade.state', 'arkade.submit']);
    },
  });
});

afterEach(() => scene.end());

async function paid() {
  const secret = scene.client.secret();
  const record = await scene.client.createLightningArkade(scene.node, 100_000n, secret);
  scene.world.pay(record.bolt11_invoice);
  return { secret, record };
}

test('a lock that was accepted before the payment went back is not finished after it', async () => {
  const { secret, record } = await paid();
  await scene.node.until(record.id, 'locking');
  await expect.poll(() => submissions).toBe(1);
  await scene.world.advance(13 * 3_600);
  await scene.world.mine(400);
  expect(scene.world.paid(sha256Of(secret))).toBe('failed');
  away.clear();
  await expect
    .poll(() => scene.node.store.effects.of(record.id).map((row) => [row.effect.do, row.parked !== null]), {
      timeout: 60_000,
    })
    .toEqual([['vhtlc.submit', true]]);
  expect({
    at: scene.node.at(record.id),
    coins: await scene.client.coins(record),
    flagged: scene.node.runtime.workingSet.find(record.id)?.row.flag !== null,
  }).toEqual({ at: 'locking', coins: [], flagged: true });
});

test('a lock whose answer was lost is finished late as long as the payment is held', async () => {
  const { secret, record } = await paid();
  await scene.node.until(record.id, 'locking');
  await expect.poll(() => submissions).toBe(1);
  away.clear();
  await scene.node.until(record.id, 'locked');
  await scene.client.claim(record, secret);
  await scene.node.until(record.id, 'claimed');
});

test('blocks that only the Lightning node saw count against a payment that is held too shortly', async () => {
  submissions = 1; // no answer is lost here
  away = new Set(['arkade.prepareFund']);
  const { secret, record } = await paid();
  await scene.node.until(record.id, 'funded');
  away.add('bitcoin.tip');
  await scene.world.mine(60);
  away.delete('arkade.prepareFund');
  await scene.node.until(record.id, 'stopped');
  expect({ payment: scene.world.paid(sha256Of(secret)), coins: await scene.client.coins(record) }).toEqual({
    payment: 'failed',
    coins: [],
  });
});
