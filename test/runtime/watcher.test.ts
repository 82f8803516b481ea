import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sha256Of } from '../../engine/legs/secret.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type NodeOptions, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

let folder: string;
let world: World;
let client: Client;
let node: TestNode | null = null;

/** Longer than any of these tests: what is seen was told, not polled. */
const never = 3_600_000;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-watch-'));
  world = startWorld();
  client = await openClient(world);
});

afterEach(async () => {
  await node?.stop();
  node = null;
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: NodeOptions): Promise<TestNode> {
  node = await startNodeOn(world, folder, options);
  return node;
}

test('without any poll, what the networks tell carries both directions to their end', async () => {
  const running = await start({ pollMs: never });
  const secret = client.secret();
  const inbound = await client.createLightningArkade(running, 50_000n, secret);
  world.pay(inbound.bolt11_invoice);
  await running.until(inbound.id, 'locked');
  await client.claim(inbound, secret);
  const outbound = await client.createArkadeLightning(running, world.invoice(50_000n).bolt11, 50_000n);
  world.faucet(outbound.arkade_vhtlc_address, BigInt(outbound.source_amount));
  expect([await running.until(inbound.id, 'settled'), await running.until(outbound.id, 'claimed')]).toEqual([
    'settled',
    'claimed',
  ]);
});

test('an event that the operator never sent is made good by the poll', async () => {
  const running = await start({ pollMs: 300 });
  const record = await client.createArkadeLightning(running, world.invoice(50_000n).bolt11, 50_000n);
  world.operator.faults.dropNextEvent();
  world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
  expect(await running.until(record.id, 'claimed')).toBe('claimed');
});

test('what happened at Lightning while the node could not be reached is seen when it is back', async () => {
  const running = await start({ pollMs: never });
  const secret = client.secret();
  const record = await client.createLightningArkade(running, 50_000n, secret);
  world.lightning.setFaults({ node: 'away' });
  world.pay(record.bolt11_invoice);
  await expect.poll(() => world.paid(sha256Of(secret))).toBe('in-flight');
  expect(running.at(record.id)).toBe('pending');
  world.lightning.setFaults({ node: 'back' });
  expect(await running.until(record.id, 'locked')).toBe('locked');
});

test('what happened at the operator while it was away is seen when it is back', async () => {
  const running = await start({ pollMs: 300 });
  const secret = client.secret();
  const record = await client.createLightningArkade(running, 50_000n, secret);
  world.pay(record.bolt11_invoice);
  await running.until(record.id, 'locked');
  await client.claim(record, secret);
  world.operator.faults.away();
  await running.runtime.settled(record.id, () => false, 400);
  world.operator.faults.back();
  expect(await running.until(record.id, 'settled')).toBe('settled');
});

test('a restart watches what is open, and nothing of what has ended', async () => {
  const first = await start({});
  const ended = await client.createArkadeLightning(first, world.invoice(50_000n).bolt11, 50_000n);
  world.faucet(ended.arkade_vhtlc_address, BigInt(ended.source_amount));
  await first.until(ended.id, 'claimed');
  const open = await client.createArkadeLightning(first, world.invoice(60_000n).bolt11, 60_000n);
  await first.kill();
  const asked: string[] = [];
  const second = await start({ pollMs: never, onBoundary: (what) => void asked.push(what) });
  expect([...second.runtime.workingSet.all()].map(({ row }) => row.id)).toEqual([open.id]);
  world.faucet(open.arkade_vhtlc_address, BigInt(open.source_amount));
  expect(await second.until(open.id, 'claimed')).toBe('claimed');
});

test('a network that is not connected refuses new swaps with its name', async () => {
  const running = await start({ without: ['lightning'] });
  await expect(client.createArkadeLightning(running, world.invoice(50_000n).bolt11, 50_000n)).rejects.toThrow(
    /needs a Lightning node, and none is connected/,
  );
});
