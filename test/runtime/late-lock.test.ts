import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sha256Of } from '../../engine/legs/secret.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { anyFailure } from '../support/failure.ts';

let folder: string;
let world: World;
let client: Client;
let node: TestNode;
/** Methods of the ports that get no answer now. */
let away: Set<string>;
let submissions: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-late-lock-'));
  world = startWorld();
  client = await openClient(world);
  away = new Set();
  submissions = 0;
  node = await startNodeOn(world, folder, {
    onBoundary(what, moment) {
      if (moment !== 'before') return;
      if (away.has(what)) throw anyFailure('away', 'ask-first', `${what} gets no answer`);
      if (what !== 'arkade.submit' || submissions++ > 0) return;
      // Accepted, the answer lost, and from then on the operator is silent.
      world.operator.faults.loseNextSubmit();
      away = new Set(['arkade.state', 'arkade.submit']);
    },
  });
});

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function paid() {
  const secret = client.secret();
  const record = await client.createLightningArkade(node, 100_000n, secret);
  world.pay(record.bolt11_invoice);
  return { secret, record };
}

test('a lock that was accepted before the payment went back is not finished after it', async () => {
  const { secret, record } = await paid();
  await node.until(record.id, 'locking');
  await expect.poll(() => submissions).toBe(1);
  await world.advance(13 * 3_600);
  await world.mine(400);
  expect(world.paid(sha256Of(secret))).toBe('failed');
  away.clear();
  await expect
    .poll(() => node.store.effects.of(record.id).map((row) => [row.effect.do, row.parked !== null]), {
      timeout: 20_000,
    })
    .toEqual([['vhtlc.finalize', true]]);
  expect({
    at: node.at(record.id),
    coins: await client.coins(record),
    flagged: node.runtime.workingSet.find(record.id)?.row.flag !== null,
  }).toEqual({ at: 'locking', coins: [], flagged: true });
}, 30_000);

test('a lock whose answer was lost is finished late as long as the payment is held', async () => {
  const { secret, record } = await paid();
  await node.until(record.id, 'locking');
  await expect.poll(() => submissions).toBe(1);
  away.clear();
  await node.until(record.id, 'locked');
  await client.claim(record, secret);
  await node.until(record.id, 'settled');
});

test('blocks that only the Lightning node saw count against a payment that is held too shortly', async () => {
  submissions = 1; // no answer is lost here
  away = new Set(['arkade.prepareFund']);
  const { secret, record } = await paid();
  await node.until(record.id, 'held');
  away.add('bitcoin.tip');
  await world.mine(60);
  away.delete('arkade.prepareFund');
  await node.until(record.id, 'declined');
  expect({ payment: world.paid(sha256Of(secret)), coins: await client.coins(record) }).toEqual({
    payment: 'failed',
    coins: [],
  });
});
