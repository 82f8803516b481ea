import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sha256Of } from '../../engine/legs/secret.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

let folder: string;
let world: World;
let client: Client;
let node: TestNode;
let full: boolean;
let refused: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-full-disk-'));
  world = startWorld();
  client = await openClient(world);
  full = false;
  refused = 0;
  node = await startNodeOn(world, folder, {
    pollMs: 20,
    onBoundary(what, moment) {
      if (!full || what !== 'commit' || moment !== 'before') return;
      refused++;
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    },
  });
});

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('fault 3: a claim seen while the disk is full is settled as soon as there is room, and polls do not pile up', async () => {
  const alerts: string[] = [];
  node.runtime.onAlert(({ sentence }) => void alerts.push(sentence));
  const secret = client.secret();
  const record = await client.createLightningArkade(node, 100_000n, secret);
  world.pay(record.bolt11_invoice);
  await node.until(record.id, 'locked');
  full = true;
  await client.claim(record, secret);
  await expect.poll(() => node.runtime.guard.paused()?.by).toBe('guard');
  // Long enough for dozens of polls, each of which sees the claim again.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const before = refused;
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  const perSecond = (refused - before) / 2.2;
  full = false;
  await node.until(record.id, 'settled');
  await expect.poll(() => node.runtime.guard.paused(), { timeout: 3_000 }).toBe(null);
  expect({ payment: world.paid(sha256Of(secret)), alerts: alerts.length, waits: perSecond < 60 }).toEqual({ payment: 'settled', alerts: expect.any(Number), waits: true });
  expect(alerts.length).toBeLessThan(8);
});

test('a swap that could not be saved is in no list', async () => {
  full = true;
  await expect(client.createLightningArkade(node, 100_000n, client.secret())).rejects.toThrow('cannot be written');
  full = false;
  expect({ open: node.runtime.workingSet.size, promised: node.store.reservations.totals() }).toEqual({ open: 0, promised: new Map() });
});
