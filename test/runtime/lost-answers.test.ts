import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PortFailure, type Retry } from '../../engine/domain/errors.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

let folder: string;
let world: World;
let client: Client;
let node: TestNode;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-lost-answers-'));
  world = startWorld();
  client = await openClient(world);
});

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A node whose calls of one method end as told, one after the other; later calls go through. */
async function startFailing(method: string, moment: 'before' | 'after', ...failures: Retry[]): Promise<void> {
  node = await startNodeOn(world, folder, {
    onBoundary(what, at) {
      if (what !== method || at !== moment) return;
      const retry = failures.shift();
      if (retry !== undefined) throw new PortFailure('injected', retry, `${method} failed (${retry})`);
    },
  });
}

async function funded(): Promise<string> {
  const record = await client.createArkadeLightning(node, world.invoice(100_000n).bolt11, 100_000n);
  world.faucet(record.arkade_vhtlc_address, 100_260n);
  return record.id;
}

test('fault 22: a payment whose first try went unanswered is not refused because a later try was', async () => {
  await startFailing('lightning.pay', 'before', 'ask-first', 'never');
  const id = await funded();
  // The first try may still hang in the node: nobody gets a refund signed while it can settle.
  expect(await node.until(id, 'paying', 'stopped')).toBe('paying');
});

test('a payment that the node refuses at its first try has failed', async () => {
  await startFailing('lightning.pay', 'before', 'never');
  expect(await node.until(await funded(), 'paying', 'stopped')).toBe('stopped');
});

test('a claim that one wrong answer ended is made after the next start', async () => {
  await startFailing('arkade.prepareClaim', 'before', 'never');
  const id = await funded();
  await node.until(id, 'claiming');
  await expect.poll(() => node.store.effects.of(id).map((row) => row.parked)).toEqual(['arkade.prepareClaim failed (never)']);
  await node.kill();
  node = await startNodeOn(world, folder);
  await node.until(id, 'claimed');
});
