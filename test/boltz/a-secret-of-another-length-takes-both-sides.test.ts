import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { openPublishedClient, startLooseNode, type PublishedClient } from './kit.ts';

/* What the owner can lose where our lock is of the form that published clients derive, and not one sat more. */

const patience = { timeout: 150_000 };
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startLooseNode({ maxSwapSats: 30_000, maxLossSats: 50_000 });
  client = await openPublishedClient(node, []);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

/** As the published client asks for it, but for the length of the secret. */
async function create(length: number, onchainAmount: number) {
  const secret = randomBytes(length);
  const request = {
    from: 'BTC',
    to: 'ARK',
    preimageHash: createHash('sha256').update(secret).digest('hex'),
    claimPublicKey: client.publicKey,
    onchainAmount,
    description: 'A coffee',
  };
  const { status, body } = await node.raw('POST', '/v2/swap/reverse', request);
  return { secret, request, status, body };
}

async function steal(made: Awaited<ReturnType<typeof create>>) {
  const { secret, request, body } = made;
  const id = text(body, 'id');
  const hash = await node.pay(text(body, 'invoice'));
  await eventually(
    async () => text(await node.get(`/v2/swap/${id}`), 'status'),
    (status) => status === 'transaction.confirmed',
  );
  await client.swaps.claimVHTLC({
    id,
    type: 'reverse',
    createdAt: 0,
    preimage: secret.toString('hex'),
    request: {
      invoiceAmount: request.onchainAmount,
      claimPublicKey: client.publicKey,
      preimageHash: request.preimageHash,
    },
    response: body as never,
    status: 'transaction.confirmed',
  });
  return { id, hash };
}

async function switchNow(): Promise<boolean> {
  const { settings } = (await node.owner('GET', '/owner/settings')) as unknown as {
    settings: { boltz: { toArkade: { enabled: boolean } } };
  };
  return settings.boltz.toArkade.enabled;
}

async function shown(boltzId: string) {
  const { swaps } = (await node.owner('GET', `/owner/swaps?q=boltz:${boltzId}`)) as unknown as { swaps: Json[] };
  const swap = await node.owner('GET', `/owner/swaps/${text(swaps[0] ?? {}, 'id')}`);
  const { flag } = swap['progress'] as { flag?: string };
  return { at: swap['at'], flag, losses: (swap['ledger'] as Json[]).map(({ kind, amount }) => [kind, amount]) };
}

test('fault 18, arkade: what a loose lock loses is capped, noted for good, and ends the switch', patience, async () => {
  const first = await create(31, 30_000);
  const second = await create(33, 20_000);
  // The whole total is reserved by the creates: nothing more is made.
  const third = await create(33, 2_000);
  expect([first.status, second.status, third.status]).toEqual([201, 201, 503]);

  const { id, hash } = await steal(first);
  await eventually(
    () => node.payment(hash),
    (state) => state === 'failed',
  );
  await eventually(switchNow, (isOn) => !isOn);
  expect(await shown(id)).toEqual({
    at: 'lost',
    flag: expect.stringContaining('30000 sats are lost') as string,
    losses: [['loss', '-30000']],
  });

  // What was made before may be lost as well: it is within the total.
  const last = await steal(second);
  await eventually(
    () => shown(last.id),
    ({ at }) => at === 'lost',
  );
  expect((await shown(last.id)).losses).toEqual([['loss', '-20000']]);

  await node.restart('SIGKILL');
  // It stays off, so there is no such pair.
  expect([(await create(33, 2_000)).status, await switchNow()]).toEqual([400, false]);

  // The owner's act begins anew.
  await node.owner('PATCH', '/owner/settings', { boltz: { toArkade: { enabled: true } } });
  const [one, two, three] = [await create(33, 30_000), await create(33, 20_000), await create(33, 2_000)];
  expect([one.status, two.status, three.status]).toEqual([201, 201, 503]);
});

test('an older database in its place turns it off until its owner turns it on', patience, async () => {
  const database = join(node.folder, 'sluice.db');
  const copy = `${database}.copy`;
  await node.kill('SIGTERM');
  copyFileSync(database, copy);
  await node.start();
  await node.owner('PATCH', '/owner/settings', { boltz: { toArkade: { maxLossSats: 90_000 } } });
  expect((await create(33, 25_000)).status).toBe(201);
  await node.kill('SIGTERM');
  for (const ending of ['', '-wal', '-shm']) rmSync(`${database}${ending}`, { force: true });
  copyFileSync(copy, database);
  await node.start();
  await eventually(switchNow, (isOn) => !isOn);
});
