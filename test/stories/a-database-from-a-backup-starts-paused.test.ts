import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { seedFromElsewhere } from '../../engine/store/seed-marks.ts';
import { text, type Json } from './client/http.ts';
import type { Client, Received } from './client/client.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'backup.ts');

let node: WireNode;
let client: Client;
let backup: string;

// One node goes through all of it: whatever it was restored from before, once its owner resumed it is an ordinary one.
beforeAll(async () => {
  node = await startWireNode();
});
afterAll(() => node.stop());

beforeEach(async () => {
  backup = join(mkdtempSync(join(tmpdir(), 'sluice-backup-')), 'monday.db');
  client = await node.client();
});
afterEach(() => rmSync(join(backup, '..'), { recursive: true, force: true }));

async function backUp(): Promise<void> {
  await promisify(execFile)(process.execPath, [program, '--data-dir', node.folder, '--to', backup]);
}

/** As the command says: in the place of the database, whose own side files go. */
function putBack(from: string): void {
  for (const part of ['sluice.db', 'sluice.db-wal', 'sluice.db-shm']) rmSync(join(node.folder, part), { force: true });
  copyFileSync(from, join(node.folder, 'sluice.db'));
}

function serverKey(swap: Received): string {
  return text(swap.record, 'sender_pk');
}

async function pauseReason(): Promise<string> {
  const { paused } = await node.owner('GET', '/owner/status');
  return paused === null ? 'not paused' : text(paused as Json, 'reason');
}

test('fault 5: a database copied by other means is noticed by the marks beside it', async () => {
  const earlier = await client.lightningToArkade({ source: 20_000 });
  for (const part of ['', '-wal']) copyFileSync(join(node.folder, `sluice.db${part}`), `${backup}${part}`);
  const forgotten = await client.lightningToArkade({ source: 20_000 });
  await node.kill('SIGTERM');
  putBack(backup);
  copyFileSync(`${backup}-wal`, join(node.folder, 'sluice.db-wal'));
  await node.start();
  expect(await eventually(pauseReason, (reason) => !reason.includes('is being compared'))).toBe(
    'The database is older than this data folder: it was restored from a backup. Every Arkade payment ' +
      'is in its records: compare the Lightning payments since then with the list of swaps, then resume.',
  );
  await node.owner('POST', '/owner/resume', {});
  const next = await (await node.client()).lightningToArkade({ source: 20_000 });
  expect([serverKey(earlier), serverKey(forgotten)]).not.toContain(serverKey(next));
}, 180_000);

test('fault 5: a copy that lacks no swap, only a payment, is noticed, and the payment not made again', async () => {
  const { bolt11, hash } = await node.invoice(20_000);
  const sent = await client.arkadeToLightning(bolt11);
  for (const part of ['', '-wal']) copyFileSync(join(node.folder, `sluice.db${part}`), `${backup}${part}`);
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
  await node.faucet(sent.vhtlc.address, sent.price);
  await node.until(sent, 'serverfunded');
  await node.kill('SIGTERM');
  putBack(backup);
  copyFileSync(`${backup}-wal`, join(node.folder, 'sluice.db-wal'));
  await node.start();
  expect(await eventually(pauseReason, (reason) => !reason.includes('is being compared'))).toContain(
    'restored from a backup',
  );
  await node.until(sent, 'serverfunded');
  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'settles' });
  await node.until(sent, 'serverredeemed');
  await node.owner('POST', '/owner/resume', {});
}, 180_000);

test('fault 5: a backup of a running node starts paused, and settles for what it forgot', async () => {
  const earlier = await client.lightningToArkade({ source: 20_000 });
  await backUp();
  const forgotten = await client.lightningToArkade({ source: 30_000 });
  const [knownHash, forgottenHash] = [await node.pay(earlier.bolt11), await node.pay(forgotten.bolt11)];
  await node.until(earlier, 'serverfunded');
  await node.until(forgotten, 'serverfunded');
  const locked = await client.arkade.coins(earlier.vhtlc);

  await node.kill('SIGTERM');
  putBack(backup);
  await node.start();

  // New swaps wait, and what the networks show that the backup does not know is told to the owner alone.
  const newcomer = await node.client();
  await expect(newcomer.lightningToArkade({ source: 20_000 })).rejects.toThrow(
    /503 .*New swaps are paused: open swaps are being checked\. Try again later\./,
  );
  const sats = text(forgotten.record, 'target_amount');
  const [coin] = await client.arkade.coins(forgotten.vhtlc);
  expect(await eventually(pauseReason, (reason) => reason.includes('records lack'))).toContain(
    `Its records lack these Arkade payments: ${sats} sats in transaction ${coin?.txid}, not taken yet (if ` +
      'it is the lock of a swap, its payment is settled once the client claims it).',
  );

  // What it knows goes on: the lock is found and not made again, and its claim settles.
  await node.until(earlier, 'serverfunded');
  expect(await client.arkade.coins(earlier.vhtlc)).toEqual(locked);
  await client.claim(earlier);
  await node.until(earlier, 'serverredeemed');
  expect(await node.payment(knownHash)).toBe('settled');

  // What it forgot is a lock of ours all the same: its claim shows the secret, which settles the payment held for it.
  expect(await node.payment(forgottenHash)).toBe('in_flight');
  await client.arkade.claim(forgotten.vhtlc, forgotten.secret);
  expect(
    await eventually(
      () => node.payment(forgottenHash),
      (state) => state !== 'in_flight',
    ),
  ).toBe('settled');
  expect(await eventually(pauseReason, (reason) => reason.includes('settled.'))).toContain(
    `${sats} sats in transaction ${coin?.txid}, claimed by a client and its payment settled.`,
  );

  // Only the owner resumes, no key is used again, and the next start is an ordinary one.
  await node.restart();
  expect((await node.owner('GET', '/owner/status'))['paused']).toMatchObject({ by: 'owner' });
  await node.owner('POST', '/owner/resume', {});
  const next = await (await node.client()).lightningToArkade({ source: 20_000 });
  expect([serverKey(earlier), serverKey(forgotten)]).not.toContain(serverKey(next));
  await node.restart();
  expect((await node.owner('GET', '/owner/status'))['paused']).toBeNull();
}, 180_000);

test('fault 5: with the words alone no key is used again, and a lock of before settles when claimed', async () => {
  const forgotten = await client.lightningToArkade({ source: 30_000 });
  const hash = await node.pay(forgotten.bolt11);
  await node.until(forgotten, 'serverfunded');
  await node.kill('SIGTERM');
  for (const name of readdirSync(node.folder))
    if (/^(sluice\.db|high-water|intents|taker-high-water)/.test(name)) rmSync(join(node.folder, name));
  seedFromElsewhere(node.folder);
  await node.start();
  expect(await eventually(pauseReason, (reason) => reason.includes('records lack'))).toMatch(
    /^This database begins empty, and its seed was used before\. Its records lack these Arkade payments: \d+ sats/,
  );
  await client.arkade.claim(forgotten.vhtlc, forgotten.secret);
  expect(
    await eventually(
      () => node.payment(hash),
      (state) => state !== 'in_flight',
    ),
  ).toBe('settled');
  await node.owner('POST', '/owner/resume', {});
  const next = await (await node.client()).lightningToArkade({ source: 20_000 });
  expect(serverKey(next)).not.toBe(serverKey(forgotten));
  await node.restart();
  expect((await node.owner('GET', '/owner/status'))['paused']).toBeNull();
}, 180_000);
