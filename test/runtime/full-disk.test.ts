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
let code: string;
let refused: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-full-disk-'));
  world = startWorld();
  client = await openClient(world);
  full = false;
  code = 'SQLITE_FULL';
  refused = 0;
  node = await startNodeOn(world, folder, {
    pollMs: 20,
    onBoundary(what, moment) {
      if (!full || what !== 'commit' || moment !== 'before') return;
      refused++;
      throw Object.assign(new Error('the disk fails'), { code });
    },
  });
});

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('fault 3: a claim seen while the disk is full is settled as soon as there is room', async () => {
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
  expect({ payment: world.paid(sha256Of(secret)), alerts: alerts.length, waits: perSecond < 60 }).toEqual({
    payment: 'settled',
    alerts: expect.any(Number),
    waits: true,
  });
  expect(alerts.length).toBeLessThan(8);
});

test.each(['SQLITE_FULL', 'SQLITE_CORRUPT'])(
  'fault 3: while the disk fails with %s a claim seen is settled from memory',
  async (failure) => {
    code = failure;
    const secret = client.secret();
    const held = await client.createLightningArkade(node, 100_000n, secret);
    world.pay(held.bolt11_invoice);
    await node.until(held.id, 'locked');
    const invoice = world.invoice(50_000n);
    const sent = await client.createArkadeLightning(node, invoice.bolt11, 50_000n);
    world.lightning.setFaults({ nextPayment: 'hangs' });
    world.faucet(sent.arkade_vhtlc_address, BigInt(sent.source_amount));
    await node.until(sent.id, 'paying');
    const wallet = async (): Promise<bigint> => (await node.ports.arkade!.balance([])).available;
    const before = await wallet();
    full = true;
    await client.claim(held, secret);
    world.lightning.release(Buffer.from(invoice.hash).toString('hex'), 'settles');
    await expect.poll(() => world.paid(sha256Of(secret)), { timeout: 8_000 }).toBe('settled');
    await expect.poll(async () => (await wallet()) - before, { timeout: 8_000 }).toBe(BigInt(sent.source_amount));
    expect([node.at(held.id), node.at(sent.id)]).toEqual(['locked', 'paying']);
    full = false;
    await node.until(held.id, 'settled');
    await node.until(sent.id, 'claimed');
    expect([
      (await wallet()) - before,
      node.logged.filter((line) => line.includes('claimed from memory')).length,
    ]).toEqual([BigInt(sent.source_amount), 2]);
  },
  40_000,
);

test('fault 3: a node that dies with its disk full finds after the start what it claimed from memory', async () => {
  const secret = client.secret();
  const held = await client.createLightningArkade(node, 100_000n, secret);
  world.pay(held.bolt11_invoice);
  await node.until(held.id, 'locked');
  full = true;
  await client.claim(held, secret);
  await expect.poll(() => world.paid(sha256Of(secret)), { timeout: 8_000 }).toBe('settled');
  await node.kill();
  full = false;
  node = await startNodeOn(world, folder);
  await node.until(held.id, 'settled');
});

test('a swap that could not be saved is in no list', async () => {
  full = true;
  await expect(client.createLightningArkade(node, 100_000n, client.secret())).rejects.toThrow('cannot be written');
  full = false;
  expect({ open: node.runtime.workingSet.size, promised: node.store.reservations.totals() }).toEqual({
    open: 0,
    promised: new Map(),
  });
});
