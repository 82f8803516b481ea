import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PortFailure } from '../../engine/domain/errors.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { LightningArkadeTerms } from '../../engine/swap/lightning-arkade/terms.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

let folder: string;
let world: World;
let client: Client;
let node: TestNode;
let batches: 'go through' | 'fail';
let tries: number;
/** Whether the operator shows what waits for a batch. */
let queue: 'shown' | 'hidden';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-expired-'));
  world = startWorld();
  client = await openClient(world);
  batches = 'fail';
  tries = 0;
  queue = 'shown';
  node = await startNodeOn(world, folder, {
    onBoundary(what, moment) {
      if (what === 'arkade.waiting' && queue === 'hidden') throw new PortFailure('away', 'safe', 'the queue is not shown');
      if (what !== 'arkade.settle' || moment !== 'before') return;
      tries++;
      if (batches === 'fail') throw new PortFailure('batch-late', 'ask-first', 'no batch took the coin');
    },
  });
});

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A lock that expired before our refund, which only a batch can take now. */
async function expiredLock() {
  const secret = client.secret();
  const record = await client.createLightningArkade(node, 100_000n, secret);
  world.pay(record.bolt11_invoice);
  await node.until(record.id, 'locked');
  const { vhtlc } = node.runtime.workingSet.find(record.id)?.row.terms as LightningArkadeTerms;
  const [coin] = await client.coins(record);
  if (coin === undefined) throw new Error('there is no lock');
  world.expire(coin.outpoint);
  await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
  await node.until(record.id, 'refunding');
  await expect.poll(() => tries).toBeGreaterThan(0);
  return { record, secret, vhtlc };
}

async function claimByBatch({ record, secret, vhtlc }: Awaited<ReturnType<typeof expiredLock>>): Promise<void> {
  const coins = await client.coins(record);
  await client.port.settle({ terms: vhtlc, key: { branch: 'taker', index: 0 }, coins, leaf: 'claim', preimage: secret, signal: new AbortController().signal });
}

test('fault 41: a claim of our expired lock is read in the queue, where alone it shows its preimage', async () => {
  const swap = await expiredLock();
  await claimByBatch(swap);
  await node.until(swap.record.id, 'settled');
  expect(world.paid(sha256Of(swap.secret))).toBe('settled');
}, 30_000);

test('fault 41: a batch in which the client took our expired lock is not taken for our refund', async () => {
  queue = 'hidden';
  const swap = await expiredLock();
  const { record, secret } = swap;
  await claimByBatch(swap);
  batches = 'go through';
  const before = tries;
  await expect.poll(() => tries, { timeout: 15_000 }).toBeGreaterThan(before);
  // Given back now, the held payment would be the client's beside the coin.
  await expect.poll(() => node.runtime.workingSet.find(record.id)?.row.flag, { timeout: 15_000 }).toContain('somebody else may have taken it');
  expect({ at: node.at(record.id), payment: world.paid(sha256Of(secret)) }).toEqual({ at: 'refunding', payment: 'in-flight' });
}, 30_000);

test('an expired lock comes back through a batch, and then the held payment goes back', async () => {
  const { record, secret } = await expiredLock();
  batches = 'go through';
  await node.until(record.id, 'returned');
  expect(world.paid(sha256Of(secret))).toBe('failed');
}, 30_000);
