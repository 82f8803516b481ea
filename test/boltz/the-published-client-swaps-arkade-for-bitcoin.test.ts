import { secp256k1 } from '@noble/curves/secp256k1.js';
import { p2wpkh } from '@scure/btc-signer';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { text, type Json } from '../stories/client/http.ts';
import { read, regtest, utxosAt } from '../stories/client/esplora.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { openPublishedClient, startDoorNode, type PublishedClient } from './kit.ts';

const patience = { timeout: 240_000 };
let node: WireNode;
let client: PublishedClient;
let esplora: string;

beforeAll(async () => {
  node = await startDoorNode();
  client = await openPublishedClient(node, [1_000_000]);
  esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

const mine = (blocks = 1) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });

test('it locks on Arkade, checks our lock and claims it by the key of both', patience, async () => {
  const { address, mined } = await somewhere();
  const swap = await client.swaps.arkToBtc({ btcAddress: address, receiverLockAmount: 60_000 });
  await client.wallet.send({ address: swap.arkAddress, amount: swap.amountToPay });
  const { txid } = await client.swaps.waitAndClaimBtc(swap.pendingSwap);
  await mined(txid);
  const paid = (await utxosAt(esplora, address)).reduce((sum, { value }) => sum + value, 0);
  expect(paid).toBe(60_000);
  // From our half of the signature on it counts as claimed; by which transaction shows once its chain shows it.
  const last = await eventually(
    () => node.get(`/v2/swap/${swap.pendingSwap.id}`) as Promise<{ status: string; transaction: { id: string } }>,
    ({ transaction }) => transaction.id === txid,
  );
  expect(last.status).toBe('transaction.claimed');
});

test('a client that showed its secret alone before may leave it out once it asks for our half', patience, async () => {
  const { address, mined } = await somewhere();
  const swap = await client.swaps.arkToBtc({ btcAddress: address, receiverLockAmount: 40_000 });
  const path = `/v2/swap/chain/${swap.pendingSwap.id}/claim`;
  const { preimage: secret } = swap.pendingSwap;
  const statuses: number[] = [];
  const asks: Json[] = [];
  const { fetch: real } = globalThis;
  const sent = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if (!String(url).endsWith(path) || init?.method !== 'POST') return real(url, init);
    const { preimage, ...ask } = JSON.parse(String(init.body)) as Json;
    asks.push({ preimage }, ask);
    for (const body of [ask, { preimage }])
      statuses.push((await real(url, { ...init, body: JSON.stringify(body) })).status);
    return real(url, { ...init, body: JSON.stringify(ask) });
  });
  try {
    await client.wallet.send({ address: swap.arkAddress, amount: swap.amountToPay });
    const { txid } = await client.swaps.waitAndClaimBtc(swap.pendingSwap);
    await mined(txid);
  } finally {
    sent.mockRestore();
  }
  expect(statuses).toEqual([400, 200]);
  expect(asks).toEqual([{ preimage: secret }, { toSign: expect.any(Object) as object }]);
  expect((await utxosAt(esplora, address)).reduce((sum, { value }) => sum + value, 0)).toBe(40_000);
});

test('what we never locked for comes back by our signature', patience, async () => {
  const { address } = await somewhere();
  const swap = await client.swaps.arkToBtc({ btcAddress: address, senderLockAmount: 70_000 });
  const before = await client.wallet.getBalance();
  // Another amount than the one that was agreed: nothing is given for it.
  await client.wallet.send({ address: swap.arkAddress, amount: 60_000 });
  await eventually(
    () => client.provider.getSwapStatus(swap.pendingSwap.id),
    (now) => now.status === 'transaction.lockupFailed',
  );
  expect(await client.swaps.refundArk(swap.pendingSwap)).toEqual({ swept: 1, skipped: 0 });
  await eventually(
    () => client.wallet.getBalance(),
    ({ available }) => available === before.available,
  );
});

test('what it lost is restored by its key, and every script of it derived again', patience, async () => {
  const { bolt11 } = await node.invoice(30_000);
  const sent = await client.swaps.createSubmarineSwap({ invoice: bolt11 });
  const { chainSwaps, submarineSwaps, reverseSwaps } = await client.swaps.restoreSwaps();
  expect(reverseSwaps).toEqual([]);
  expect(chainSwaps.map(({ status }) => status).toSorted()).toEqual([
    'swap.expired',
    'transaction.claimed',
    'transaction.claimed',
  ]);
  expect(submarineSwaps).toEqual([
    expect.objectContaining({
      id: sent.id,
      status: 'invoice.set',
      request: { invoice: bolt11, refundPublicKey: client.publicKey },
      response: expect.objectContaining({
        address: sent.response.address,
        expectedAmount: sent.response.expectedAmount,
        timeoutBlockHeights: sent.response.timeoutBlockHeights,
      }),
    }),
  ]);
});

test('a node that is killed once it has locked gives the client what it kept the swap for', patience, async () => {
  const { address, mined } = await somewhere();
  const { pendingSwap, arkAddress, amountToPay } = await client.swaps.arkToBtc({
    ...{ btcAddress: address, receiverLockAmount: 50_000 },
  });
  await client.wallet.send({ address: arkAddress, amount: amountToPay });
  await eventually(
    async () => (await mine(), node.get(`/v2/swap/${pendingSwap.id}`)),
    ({ status }) => status === 'transaction.server.confirmed',
  );
  await node.restart('SIGKILL');
  esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
  // The node has another port in each of its lives: a client that is started anew, with what was kept of the swap.
  await client.close();
  client = await openPublishedClient(node, []);
  const before = (await utxosAt(esplora, address)).length;
  const { txid } = await client.swaps.claimBtc({ ...pendingSwap, toAddress: address });
  await mined(txid);
  const coins = await utxosAt(esplora, address);
  expect([before, coins.reduce((sum, { value }) => sum + value, 0)]).toEqual([0, 50_000]);
  await eventually(
    async () => (await mine(), node.get(`/v2/swap/${pendingSwap.id}`)),
    ({ status }) => status === 'transaction.claimed',
  );
});

/** An address of its own, and a wait until it is paid in a block. */
async function somewhere() {
  const address = p2wpkh(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()), regtest).address ?? '';
  return {
    address,
    async mined(txid: string) {
      await mine();
      await eventually(
        () => read<Json>(esplora, `/tx/${txid}`),
        (tx) => (tx['status'] as Json)['confirmed'] === true,
      );
    },
  };
}
