import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text } from './client/http.ts';
import type { Client, Received } from './client/client.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let client: Client;
let backup: string;

beforeAll(async () => {
  backup = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
  node = await startWireNode();
  client = await node.client();
}, 60_000);

afterAll(async () => {
  await node.stop();
  rmSync(backup, { recursive: true, force: true });
});

function copy(from: string, to: string): void {
  for (const part of ['sluice.db', 'sluice.db-wal', 'sluice.db-shm']) {
    rmSync(join(to, part), { force: true });
    if (part !== 'sluice.db-shm' && existsSync(join(from, part))) copyFileSync(join(from, part), join(to, part));
  }
}

function serverKey(swap: Received): string {
  return text(swap.record, 'sender_pk');
}

test('fault 5: creates wait for the owner, no key is used again, and what the backup knows goes on', async () => {
  const known = await client.lightningToArkade({ source: 20_000 });
  copy(node.folder, backup);
  const forgotten = await client.lightningToArkade({ source: 20_000 });
  const hash = await node.pay(known.bolt11);
  await node.until(known, 'serverfunded');
  const locked = await client.arkade.coins(known.vhtlc);

  await node.kill('SIGTERM');
  copy(backup, node.folder);
  await node.start();

  const { paused } = await node.owner('GET', '/owner/status');
  const now = await node.client();
  await expect(now.lightningToArkade({ source: 20_000 })).rejects.toThrow(/503 .*restored from a backup/);
  expect(paused).toMatchObject({ reason: expect.stringContaining('older than this data folder') });

  // Claims and refunds always run: the lock that the backup does not know is found, and settled once it is claimed.
  await node.until(known, 'serverfunded');
  expect(await client.arkade.coins(known.vhtlc)).toEqual(locked);
  await client.claim(known);
  await node.until(known, 'serverredeemed');
  expect(await node.payment(hash)).toBe('settled');

  await node.restart();
  expect((await node.owner('GET', '/owner/status'))['paused']).toMatchObject({ by: 'owner' });
  await node.owner('POST', '/owner/resume', {});
  const next = await (await node.client()).lightningToArkade({ source: 20_000 });
  expect([serverKey(known), serverKey(forgotten)]).not.toContain(serverKey(next));
  await node.restart();
  expect((await node.owner('GET', '/owner/status'))['paused']).toBeNull();
}, 60_000);
