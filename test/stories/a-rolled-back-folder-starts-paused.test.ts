import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, type Json } from './client/http.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

const elsewhere = mkdtempSync(join(tmpdir(), 'sluice-image-'));
let node: WireNode;
beforeAll(async () => {
  node = await startWireNode({ environment: { XDG_STATE_HOME: join(elsewhere, 'state') } });
}, 120_000);
afterAll(async () => {
  await node.stop();
  rmSync(elsewhere, { recursive: true, force: true });
});

async function paused(): Promise<string | null> {
  const { paused: why } = await node.owner('GET', '/owner/status');
  return why === null ? null : text(why as Json, 'reason');
}

async function unguarded(): Promise<string | null> {
  const { unguarded: sentence } = await node.owner('GET', '/owner/status');
  return sentence === undefined ? null : text({ sentence } as Json, 'sentence');
}

function ownSwap(): Promise<Json> {
  return node.owner('POST', '/owner/taker/swaps', { direction: 'lightning-arkade', amount_sats: 20_000 });
}

test('fault 72: a folder without its mark outside, as in a fresh container, runs and says so', async () => {
  await (await node.client()).lightningToArkade({ source: 20_000 });
  await node.kill('SIGTERM');
  rmSync(join(elsewhere, 'state'), { recursive: true });
  await node.start();
  const sentence = expect.stringMatching(/^No mark outside of the data folder was found at this start, /) as string;
  const { rows } = await node.owner('GET', '/owner/doctor');
  expect([await paused(), await unguarded(), rows]).toEqual([
    null,
    sentence,
    expect.arrayContaining([expect.objectContaining({ check: 'marks', result: 'warn', sentence })]),
  ]);
  await (await node.client()).lightningToArkade({ source: 20_000 });
  await node.restart();
  expect([await paused(), await unguarded()]).toEqual([null, null]);
}, 240_000);

test('fault 72: a folder that was rolled back whole starts paused as provider and as client', async () => {
  const client = await node.client();
  const earlier = await client.lightningToArkade({ source: 20_000 });
  await ownSwap();
  await node.kill('SIGKILL');
  const image = join(elsewhere, 'image');
  // The networks are in the folder of a sandbox, and are not rolled back with it.
  cpSync(node.folder, image, { recursive: true, filter: (path) => !path.startsWith(join(node.folder, 'sandbox')) });
  await node.start();
  const level = await paused();
  const forgotten = await (await node.client()).lightningToArkade({ source: 20_000 });
  const { id } = await ownSwap();
  await node.kill('SIGTERM');
  renameSync(join(node.folder, 'sandbox'), join(elsewhere, 'sandbox'));
  rmSync(node.folder, { recursive: true });
  cpSync(image, node.folder, { recursive: true });
  renameSync(join(elsewhere, 'sandbox'), join(node.folder, 'sandbox'));
  await node.start();

  expect([level, await paused()]).toEqual([
    null,
    expect.stringMatching(/^This data folder is older than its outside mark: it was rolled back as a whole, /),
  ]);
  const newcomer = await node.client();
  await expect(newcomer.lightningToArkade({ source: 20_000 })).rejects.toThrow(/503 .*New swaps are paused/);
  await expect(ownSwap()).rejects.toThrow(/503 .*The swap was not started: This data folder is older/);
  expect((await node.get(`/swap/${earlier.id}`))['status']).toBe('pending');

  await node.owner('POST', '/owner/resume', {});
  const next = await (await node.client()).lightningToArkade({ source: 20_000 });
  expect([text(earlier.record, 'sender_pk'), text(forgotten.record, 'sender_pk')]).not.toContain(
    text(next.record, 'sender_pk'),
  );
  expect((await ownSwap())['id']).not.toBe(id);
  await node.restart();
  expect(await paused()).toBeNull();
}, 240_000);
