import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { createChainToArk } from './core-kit.ts';
import { atRisk, openPublishedClient, startLooseNode, type PublishedClient } from './kit.ts';

/* What the owner can lose where our lock is of the form that published clients derive, and not one sat more. */

const patience = { timeout: 150_000 };
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startLooseNode({ maxSwapSats: 30_000, maxLossSats: 60_000 });
  client = await openPublishedClient(node, []);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

const hashOf = (secret: Uint8Array) => createHash('sha256').update(secret).digest('hex');

/** As the published client asks for it, but for the length of the secret. */
async function create(length: number, onchainAmount: number) {
  const secret = randomBytes(length);
  const request = {
    from: 'BTC',
    to: 'ARK',
    preimageHash: hashOf(secret),
    claimPublicKey: client.publicKey,
    onchainAmount,
    description: 'A coffee',
  };
  const { status, body } = await node.raw('POST', '/v2/swap/reverse', request);
  return { secret, request, status, body };
}

/** The same from the Bitcoin chain, where the coin that it gives opens by 32 bytes alone. */
async function createFromChain(length: number, serverLockAmount: number) {
  return createChainToArk(node.url, { claimPublicKey: client.publicKey, amount: { serverLockAmount }, length });
}

async function stealFromChain({ id, reply, preimage }: Awaited<ReturnType<typeof createFromChain>>): Promise<void> {
  const { lockupAddress: address, amount } = reply['lockupDetails'] as Json;
  const becomes = (word: string) =>
    eventually(
      async () => text(await node.get(`/v2/swap/${id}`), 'status'),
      (status) => status === word,
    );
  await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
  await becomes('transaction.mempool');
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
  await becomes('transaction.server.confirmed');
  await client.swaps.claimArk({
    ...{ id, type: 'chain', createdAt: 0, status: 'transaction.server.confirmed', amount: 0, ephemeralKey: '' },
    preimage: Buffer.from(preimage).toString('hex'),
    request: { claimPublicKey: client.publicKey, preimageHash: hashOf(preimage) },
    response: reply,
    toAddress: await client.wallet.getAddress(),
  } as never);
}

/** Answers the hash of its payment once we gave something for it. */
async function pay({ body }: Awaited<ReturnType<typeof create>>): Promise<string> {
  const hash = await node.pay(text(body, 'invoice'));
  await eventually(
    async () => text(await node.get(`/v2/swap/${text(body, 'id')}`), 'status'),
    (status) => status === 'transaction.confirmed',
  );
  return hash;
}

async function take({ secret, request, body }: Awaited<ReturnType<typeof create>>): Promise<string> {
  const id = text(body, 'id');
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
  return id;
}

/** Sats of all losses together. */
async function lost(): Promise<number> {
  const { accounts } = (await node.owner('GET', '/owner/accounts')) as unknown as {
    accounts: Record<'account' | 'asset' | 'balance', string>[];
  };
  return accounts
    .filter(({ account, asset }) => account === 'losses' && asset === 'btc')
    .reduce((sum, { balance }) => sum + Number(balance), 0);
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
  // While it is not paid for it leaves as much to others, and none to its client.
  expect([first.status, (await create(31, 2_000)).status]).toEqual([201, 429]);
  const hash = await pay(first);
  // One sat over half of what is left.
  const [over, second, third] = [await create(33, 15_001), await create(33, 15_000), await create(33, 2_000)];
  expect([over.status, second.status, third.status]).toEqual([400, 201, 429]);
  expect([await lost(), await atRisk(node)]).toEqual([0, 45_000]);

  const id = await take(first);
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
  await pay(second);
  const last = await take(second);
  await eventually(
    () => shown(last),
    ({ at }) => at === 'lost',
  );
  expect((await shown(last)).losses).toEqual([['loss', '-15000']]);
  // All that was under way, by the node's books, and not one sat more.
  expect(await lost()).toBe(45_000);

  await node.restart('SIGKILL');
  // It stays off, so there is no such pair.
  expect([(await create(33, 2_000)).status, await switchNow()]).toEqual([400, false]);

  // The owner's act begins anew.
  await node.owner('PATCH', '/owner/settings', { boltz: { toArkade: { enabled: true } } });
  expect([(await create(33, 30_000)).status, await atRisk(node)]).toEqual([201, 30_000]);
});

test('fault 18, bitcoin: from the chain no sat more is lost, and we give no coin back for it', patience, async () => {
  // The node has another port in each of its lives, and the client keeps to the first.
  await client.close();
  client = await openPublishedClient(node, []);
  await node.owner('PATCH', '/owner/settings', { boltz: { toArkade: { enabled: false } } });
  await node.owner('PATCH', '/owner/settings', { boltz: { toArkade: { enabled: true, maxLossSats: 240_000 } } });
  const made = (length: number, amount: number) =>
    createFromChain(length, amount).then(
      () => 'made',
      (cause: Error) => cause.message.slice(0, 3),
    );
  // What is under way counts again.
  expect(await atRisk(node)).toBe(30_000);
  expect(await made(31, 30_001)).toBe('400');
  const [first, second] = [await createFromChain(31, 30_000), await createFromChain(33, 30_000)];
  await createFromChain(33, 30_000);
  // Its client holds half of it unpaid.
  expect([await made(31, 10_000), (await create(33, 2_000)).status, await atRisk(node)]).toEqual(['429', 429, 120_000]);

  await stealFromChain(first);
  await eventually(switchNow, (isOn) => !isOn);
  expect(await shown(first.id)).toEqual({
    at: 'lost',
    flag: expect.stringContaining('30000 sats are lost') as string,
    losses: [['loss', '-30000']],
  });
  await stealFromChain(second);
  await eventually(
    () => shown(second.id),
    ({ at }) => at === 'lost',
  );
  expect((await shown(second.id)).losses).toEqual([['loss', '-30000']]);
  const refused = { error: expect.stringMatching(/not eligible/) as string };
  expect((await node.raw('POST', `/v2/swap/chain/${first.id}/refund`, {})).body).toEqual(refused);

  await node.restart('SIGKILL');
  expect([await made(33, 2_000), await switchNow()]).toEqual(['400', false]);
  // The owner's act begins anew, and what was reserved is so after a kill too: 60,000 sats are under way.
  await node.owner('PATCH', '/owner/settings', { boltz: { toArkade: { enabled: true } } });
  expect([await made(33, 20_000), await made(31, 15_000)]).toEqual(['made', 'made']);
  expect(await atRisk(node)).toBe(95_000);
  await node.restart('SIGKILL');
  expect(await atRisk(node)).toBe(95_000);
});

test('an older database in its place turns it off until its owner turns it on', patience, async () => {
  const database = join(node.folder, 'sluice.db');
  const copy = `${database}.copy`;
  await node.kill('SIGTERM');
  copyFileSync(database, copy);
  await node.start();
  await eventually(
    async () => (await create(33, 25_000)).status,
    (status) => status === 201,
  );
  await node.kill('SIGTERM');
  for (const ending of ['', '-wal', '-shm']) rmSync(`${database}${ending}`, { force: true });
  copyFileSync(copy, database);
  await node.start();
  await eventually(switchNow, (isOn) => !isOn);
});
