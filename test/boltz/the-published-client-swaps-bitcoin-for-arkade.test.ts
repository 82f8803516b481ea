import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { read, utxosAt } from '../stories/client/esplora.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { broadcast, coinOf, createChainToArk, refundTx, signTogether, type CoreReverse } from './core-kit.ts';
import { atRisk, openPublishedClient, startLooseNode, type PublishedClient } from './kit.ts';
import { wordsOf } from './socket-kit.ts';

const patience = { timeout: 240_000 };
let node: WireNode;
let client: PublishedClient;
let esplora: string;

beforeAll(async () => {
  node = await startLooseNode({ maxSwapSats: 60_000, maxLossSats: 300_000 });
  client = await openPublishedClient(node, []);
  esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

const mine = (blocks = 1) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
const statusOf = async (id: string) => text(await node.get(`/v2/swap/${id}`), 'status');
const pay = (address: string, amount: number) => node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
/** By the one block that its client's coin needs: of many in a moment the lock would be too short. */
async function lockedFor(id: string): Promise<void> {
  await eventually(
    () => statusOf(id),
    (word) => word === 'transaction.mempool',
  );
  await mine();
  await eventually(
    () => statusOf(id),
    (word) => word === 'transaction.server.confirmed',
  );
}
const becomes = (id: string, word: string, patienceMs = 120_000) =>
  eventually(
    async () => {
      await mine();
      return node.get(`/v2/swap/${id}`);
    },
    (now) => now['status'] === word,
    patienceMs,
  );

test(
  'it checks both locks, pays on the Bitcoin chain and claims on Arkade, and its coin is ours',
  patience,
  async () => {
    const { amountToPay, btcAddress, pendingSwap } = await client.swaps.btcToArk({ receiverLockAmount: 50_000 });
    expect(pendingSwap.response.claimDetails.amount).toBe(50_000);
    expect(await atRisk(node)).toBe(50_000);
    const words = await wordsOf(node, pendingSwap.id);
    await pay(btcAddress, amountToPay);
    const claimed = client.swaps.waitAndClaimArk(pendingSwap);
    await lockedFor(pendingSwap.id);
    await becomes(pendingSwap.id, 'transaction.claimed');
    const { txid } = await claimed;
    await expect.poll(() => words.at(-1)).toBe('transaction.claimed');
    const ofOurs = words.filter((word) => String(word).startsWith('transaction.server.'));
    expect(ofOurs).toEqual(['transaction.server.mempool', 'transaction.server.confirmed']);
    await eventually(
      () => client.wallet.getBalance(),
      ({ available }) => available === 50_000,
    );
    expect(await node.get(`/v2/swap/${pendingSwap.id}`)).toEqual({
      status: 'transaction.claimed',
      transaction: { id: txid },
    });
    const late = { signature: { pubNonce: '02'.repeat(66), partialSignature: '11'.repeat(32) } };
    const claim = `/v2/swap/chain/${pendingSwap.id}/claim`;
    expect([await node.raw('POST', claim, late), await node.raw('GET', claim)]).toEqual([
      { status: 409, body: { error: 'server claim succeeded already' } },
      { status: 400, body: { error: 'swap not eligible for a cooperative claim' } },
    ]);
    const { userLock, serverLock } = await node.get(`/v2/swap/chain/${pendingSwap.id}/transactions`);
    expect([userLock, serverLock]).toEqual([
      {
        transaction: { id: expect.any(String) as string, hex: expect.any(String) as string },
        timeout: { blockHeight: pendingSwap.response.lockupDetails.timeoutBlockHeight },
      },
      { transaction: { id: expect.any(String) as string }, timeout: { blockHeight: expect.any(Number) as number } },
    ]);
    expect(await utxosAt(esplora, btcAddress)).toEqual([]);
    // It signed our claim with us as soon as its own had landed.
    const fundTxid = text((userLock as Json)['transaction'] as Json, 'id');
    const [spent] = await read<Json[]>(esplora, `/tx/${fundTxid}/outspends`).then((all) =>
      all.filter(({ spent: is }) => is === true),
    );
    const { vin } = await read<{ vin: { witness: string[] }[] }>(esplora, `/tx/${text(spent ?? {}, 'txid')}`);
    expect(vin[0]?.witness).toHaveLength(1);
    // What ended well counts against nothing.
    await eventually(
      async () => (await mine(), atRisk(node)),
      (amount) => amount === 0,
    );
  },
);

test('what it lost is restored by its keys, and so is what lies on the chain', patience, async () => {
  const other = await openPublishedClient(node, []);
  const { pendingSwap } = await other.swaps.btcToArk({ senderLockAmount: 20_000 });
  const { chainSwaps, submarineSwaps, reverseSwaps } = await other.swaps.restoreSwaps();
  expect([submarineSwaps, reverseSwaps]).toEqual([[], []]);
  expect(chainSwaps).toEqual([expect.objectContaining({ id: pendingSwap.id, status: 'swap.created' })]);
  const restored = await node.raw('POST', '/v2/swap/restore', { publicKey: pendingSwap.request.refundPublicKey });
  expect(restored.body).toEqual([
    expect.objectContaining({
      ...{ id: pendingSwap.id, type: 'chain', from: 'BTC', to: 'ARK' },
      preimageHash: pendingSwap.request.preimageHash,
      refundDetails: expect.objectContaining({
        tree: pendingSwap.response.lockupDetails.swapTree,
        lockupAddress: pendingSwap.response.lockupDetails.lockupAddress,
      }) as object,
    }),
  ]);
  await other.close();
});

test('a secret of another length is refused beside a signature too', patience, async () => {
  const amount = { serverLockAmount: 20_000 };
  const swap = await createChainToArk(node.url, { claimPublicKey: client.publicKey, amount });
  const signature = { pubNonce: '02'.repeat(66), partialSignature: '11'.repeat(32) };
  const say = (preimage: string) => node.raw('POST', `/v2/swap/chain/${swap.id}/claim`, { preimage, signature });
  for (const length of [1, 31, 33]) {
    const { status, body } = await say('ab'.repeat(length));
    expect([status, body['error']]).toEqual([400, expect.stringMatching(/^preimage: /)]);
  }
  const { body } = await say(Buffer.from(swap.preimage).toString('hex'));
  expect(body['error']).toBe('swap not eligible for a cooperative claim');
});

/** What its client locked lies there, as a coin that both spend together. */
async function locked(of: { readonly pays?: number }): Promise<{ swap: CoreReverse; coin: ReturnType<typeof coinOf> }> {
  const other = client.publicKey;
  const swap = await createChainToArk(node.url, { claimPublicKey: other, amount: { serverLockAmount: 30_000 } });
  const lock = swap.reply['lockupDetails'] as Json;
  await pay(text(lock, 'lockupAddress'), of.pays ?? whole(lock, 'amount'));
  await mine();
  const { userLock } = (await eventually(
    () => node.get(`/v2/swap/chain/${swap.id}/transactions`),
    (locks) => locks['userLock'] !== undefined,
  )) as { userLock: Json };
  return { swap, coin: coinOf(swap, text(userLock['transaction'] as Json, 'hex'), 'both') };
}

async function refund({ swap, coin }: Awaited<ReturnType<typeof locked>>): Promise<string> {
  const tx = refundTx(coin, 0);
  await signTogether(node.url, `/v2/swap/chain/${swap.id}/refund`, { swap, tx, coins: [coin] });
  return broadcast(node.url, tx);
}

test('of another amount than was agreed nothing is given, and it comes back by the key of both', patience, async () => {
  const lock = await locked({ pays: 25_000 });
  await eventually(
    () => statusOf(lock.swap.id),
    (word) => word === 'swap.expired' || word === 'transaction.lockupFailed',
  );
  const txid = await refund(lock);
  await mine();
  const shown = await read<Json>(esplora, `/tx/${txid}`);
  expect((shown['status'] as Json)['confirmed']).toBe(true);
});

test('fault 132, chain: its coin comes back by our signature once ours is back, and not before', patience, async () => {
  const lock = await locked({});
  await eventually(
    () => statusOf(lock.swap.id),
    (word) => word === 'transaction.server.confirmed',
  );
  await expect(refund(lock)).rejects.toThrow(/400 the swap is not eligible for a cooperative refund \(serverfunded\)/);
  const { timeouts } = lock.swap.reply['claimDetails'] as { timeouts: Json };
  await node.advanceTo(whole(timeouts, 'refund') + 1);
  await mine(12);
  await becomes(lock.swap.id, 'transaction.refunded');
  await refund(lock);
  await mine();
  const { swaps } = (await node.owner('GET', `/owner/swaps?q=boltz:${lock.swap.id}`)) as unknown as { swaps: Json[] };
  await eventually(
    async () => (await mine(), node.owner('GET', `/owner/swaps/${text(swaps[0] ?? {}, 'id')}`)),
    ({ at }) => at === 'refunded',
  );
  // Others that were never paid for count until their windows end.
  await eventually(
    () => atRisk(node),
    (amount) => amount <= 40_000,
  );
});

test('a node that is killed once its client has claimed takes the coin when it is back', patience, async () => {
  const { amountToPay, btcAddress, pendingSwap } = await client.swaps.btcToArk({ receiverLockAmount: 40_000 });
  await pay(btcAddress, amountToPay);
  await lockedFor(pendingSwap.id);
  await client.swaps.claimArk(pendingSwap);
  await node.restart('SIGKILL');
  esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
  await becomes(pendingSwap.id, 'transaction.claimed');
  expect(await utxosAt(esplora, btcAddress)).toEqual([]);
});

test('fault 5, boltz: a copy from before our lock finds it with the coin, and signs no refund', patience, async () => {
  await client.close();
  client = await openPublishedClient(node, []);
  const database = join(node.folder, 'sluice.db');
  const claimPublicKey = client.publicKey;
  const swap = await createChainToArk(node.url, { claimPublicKey, amount: { serverLockAmount: 30_000 } });
  for (const part of ['', '-wal']) copyFileSync(`${database}${part}`, join(node.folder, `copy${part}`));
  const lock = swap.reply['lockupDetails'] as Json;
  await pay(text(lock, 'lockupAddress'), whole(lock, 'amount'));
  await lockedFor(swap.id);
  const { userLock } = (await node.get(`/v2/swap/chain/${swap.id}/transactions`)) as { userLock: Json };
  const coin = coinOf(swap, text(userLock['transaction'] as Json, 'hex'), 'both');
  await node.advance(8 * 3_600);
  await mine(12);
  await node.kill('SIGTERM');
  for (const part of ['', '-wal', '-shm']) rmSync(`${database}${part}`, { force: true });
  for (const part of ['', '-wal']) copyFileSync(join(node.folder, `copy${part}`), `${database}${part}`);
  await node.start();
  // Too late for a lock, and the one that was made is found.
  await eventually(
    () => statusOf(swap.id),
    (word) => word === 'transaction.server.confirmed',
  );
  await expect(refund({ swap, coin })).rejects.toThrow(/is not eligible for a cooperative refund/);
});
