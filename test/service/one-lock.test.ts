import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openClient } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

/* A published client sets its secret on the first input of a claim alone: with two coins the operator refuses it (facts/clients.md 23). */

let folder: string;
let world: World;
let node: TestNode;

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a lock that takes many coins of ours to fund is one coin of the client, of exactly what was agreed', async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
  world = startWorld();
  node = await startNodeOn(world, folder, { coins: { count: 30, sats: 3_000n } });
  const client = await openClient(world);
  const secret = client.secret();
  const record = await client.createLightningArkade(node, 50_000n, secret);
  world.pay(record.bolt11_invoice);
  await node.until(record.id, 'locked');
  expect((await client.coins(record)).map(({ amount }) => amount)).toEqual([BigInt(record.target_amount)]);
  await client.claim(record, secret);
  await node.until(record.id, 'settled');
});

test('a client claims the lock and what a stranger sent beside it in one transaction', async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
  world = startWorld();
  node = await startNodeOn(world, folder);
  const client = await openClient(world);
  const secret = client.secret();
  const record = await client.createLightningArkade(node, 50_000n, secret);
  world.pay(record.bolt11_invoice);
  await node.until(record.id, 'locked');
  world.faucet(record.arkade_vhtlc_address, 1_000n);
  await client.claim(record, secret);
  await node.until(record.id, 'settled');
  expect((await client.coins(record)).map(({ amount, spent }) => [amount, spent]).sort()).toEqual([
    [1_000n, true],
    [49_875n, true],
  ]);
});
