import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { text, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { atRisk, openPublishedClient, startLooseNode, type PublishedClient } from './kit.ts';

/* A place outside of the data folder takes no note of a loose lock: nothing is begun that a copy would not count. */

const patience = { timeout: 240_000 };
const outside = mkdtempSync(join(tmpdir(), 'sluice-outside-'));
const place = join(outside, 'bundle.loose-locks');
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startLooseNode({ maxSwapSats: 60_000, maxLossSats: 400_000 });
  await node.owner('PATCH', '/owner/settings', { rescue: { copyTo: join(outside, 'bundle') } });
  client = await openPublishedClient(node, []);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
  rmSync(outside, { recursive: true, force: true });
});
beforeEach(() => opens());

/** It takes no line from now on. */
function shuts(): void {
  rmSync(place, { force: true });
  mkdirSync(place);
}

const opens = (): void => rmSync(place, { recursive: true, force: true });

test('fault 313, arkade: a create whose risk no place takes a note of leaves its hash free', patience, async () => {
  const preimageHash = createHash('sha256').update(randomBytes(32)).digest('hex');
  const request = { from: 'BTC', to: 'ARK', preimageHash, claimPublicKey: client.publicKey, onchainAmount: 20_000 };
  const create = () => node.raw('POST', '/v2/swap/reverse', request);
  shuts();
  const refused = await create();
  expect([refused.status === 201, await atRisk(node)]).toEqual([false, 0]);
  opens();
  const made = await eventually(create, ({ status }) => status === 201);
  expect([typeof made.body['invoice'], await atRisk(node)]).toEqual(['string', 20_000]);
});

test(
  'fault 314, arkade: a quote whose risk no place takes a note of is accepted later, and not before',
  patience,
  async () => {
    const { pendingSwap, btcAddress } = await client.swaps.btcToArk({ receiverLockAmount: 10_000 });
    const { id } = pendingSwap;
    const status = async () => text(await node.get(`/v2/swap/${id}`), 'status');
    await node.owner('POST', '/sandbox/bitcoin/faucet', { address: btcAddress, amount: 40_000 });
    await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
    await eventually(status, (word) => word === 'transaction.lockupFailed');
    const { amount } = (await node.get(`/v2/swap/chain/${id}/quote`)) as Json;
    const accept = () => node.raw('POST', `/v2/swap/chain/${id}/quote`, { amount });
    shuts();
    const refused = await accept();
    expect([refused.status === 202, await status()]).toEqual([false, 'transaction.lockupFailed']);
    opens();
    await eventually(accept, (answer) => answer.status === 202);
    await eventually(status, (word) => word === 'transaction.server.confirmed');
  },
);
