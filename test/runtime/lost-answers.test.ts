import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Retry } from '../../engine/domain/errors.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { anyFailure } from '../support/failure.ts';

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
      if (retry !== undefined) throw anyFailure('injected', retry, `${method} failed (${retry})`);
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
  await expect
    .poll(() => node.store.effects.of(id).map((row) => row.parked))
    .toEqual(['arkade.prepareClaim failed (never)']);
  await node.kill();
  node = await startNodeOn(world, folder);
  await node.until(id, 'claimed');
});

test('an invoice never made for a request that a restart ended promises nothing after its time', async () => {
  let away = true;
  const onBoundary = (what: string): void => {
    if (away && what === 'lightning.createHold')
      throw anyFailure('away', 'ask-first', 'the Lightning node gets no word');
  };
  node = await startNodeOn(world, folder, { onBoundary });
  void client.createLightningArkade(node, 100_000n, client.secret()).catch(() => undefined);
  await expect.poll(() => node.runtime.workingSet.size).toBe(1);
  await node.kill();
  node = await startNodeOn(world, folder, { onBoundary });
  expect(node.store.reservations.totals().get('arkade')).toBe(99_750n);
  await world.advance(1_801);
  await expect.poll(() => node.store.reservations.totals(), { timeout: 3_000 }).toEqual(new Map());
  away = false;
  await expect.poll(() => node.runtime.workingSet.size, { timeout: 20_000 }).toBe(0);
}, 30_000);

test('a settlement that the Lightning node refused by mistake is made after the next start', async () => {
  let wrong = false;
  node = await startNodeOn(world, folder, {
    pollMs: 3_600_000,
    onBoundary(what, at) {
      if (wrong && what === 'lightning.settle' && at === 'before')
        throw anyFailure('refused', 'never', 'it refuses without a reason');
    },
  });
  const secret = client.secret();
  const record = await client.createLightningArkade(node, 100_000n, secret);
  world.pay(record.bolt11_invoice);
  await node.until(record.id, 'locked');
  wrong = true;
  await client.claim(record, secret);
  await expect.poll(() => node.store.effects.of(record.id).map((row) => row.parked !== null)).toEqual([true]);
  wrong = false;
  await node.kill();
  node = await startNodeOn(world, folder);
  await node.until(record.id, 'settled');
  expect(world.paid(sha256Of(secret))).toBe('settled');
});

test('a Lightning node that lags behind the chain is given nothing to pay until it has caught up', async () => {
  node = await startNodeOn(world, folder, {});
  world.lagLightning(3);
  const { bolt11, hash } = world.invoice(100_000n);
  const { id, arkade_vhtlc_address } = await client.createArkadeLightning(node, bolt11, 100_000n);
  world.faucet(arkade_vhtlc_address, 100_260n);
  await expect
    .poll(() => node.logged.some((line) => line.includes('nothing is paid until it has caught up')))
    .toBe(true);
  expect(await node.ports.lightning?.payment(hash)).toEqual({ is: 'absent' });
  world.lagLightning(0);
  await world.advance(60);
  expect(await node.until(id, 'claimed', 'stopped')).toBe('claimed');
});
