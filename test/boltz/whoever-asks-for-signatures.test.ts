import { hex } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2.js';
import { Transaction } from '@scure/btc-signer';
import type { ClaimDetails } from 'boltz-core';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import {
  broadcast,
  claimTx,
  coinOf,
  createChainToArk,
  createReverse,
  createSubmarine,
  refundTx,
  signTogether,
  type CoreSwap,
} from './core-kit.ts';
import { openPublishedClient, startLooseNode, type PublishedClient } from './kit.ts';

/* A client that asks for every signature of ours in every state, with each secret but its own. */

const patience = { timeout: 240_000 };
let node: WireNode;
let client: PublishedClient;

beforeAll(async () => {
  node = await startLooseNode({ maxSwapSats: 60_000, maxLossSats: 300_000 });
  await node.owner('PATCH', '/owner/settings', { flood: { perSecond: 100_000, burst: 1_000_000 } });
  client = await openPublishedClient(node, [200_000]);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await node?.stop();
});

const mine = (blocks = 1) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
const pay = (address: string, amount: number) => node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
const read = (id: string) => node.get(`/v2/swap/${id}`);
const becomes = (id: string, word: RegExp, blocks = 0) =>
  eventually(
    async () => {
      if (blocks > 0) await mine(blocks);
      return read(id);
    },
    ({ status }) => word.test(String(status)),
    120_000,
  );
const rawOf = (status: Json) => text(status['transaction'] as Json, 'hex');

interface Asking {
  readonly coin?: ClaimDetails;
  /** Its own. */
  readonly secret?: Uint8Array;
  /** Its own refund on Arkade, as the published client asks for it. */
  readonly refund?: Json;
}

/** Swaps of each kind are asked for by each path: those of another kind are not there. */
async function signedFor(swap: Pick<CoreSwap, 'id' | 'musig'>, asking: Asking = {}): Promise<string[]> {
  const nonce = () => hex.encode(swap.musig.message(randomBytes(32)).generateNonce().publicNonce);
  const lying = asking.coin ?? strangersCoin;
  const secrets = [0, 1, 31, 32, 33, 64].map((length) => randomBytes(length));
  const part = { pubNonce: nonce(), partialSignature: '11'.repeat(32) };
  const asks: [name: string, path: string, body?: Json][] = [];
  for (const transaction of [claimTx([lying], 500n).hex, refundTx(lying, 0).hex]) {
    const spend = () => ({ pubNonce: nonce(), transaction, index: 0 });
    for (const secret of asking.secret === undefined ? secrets : [...secrets, asking.secret]) {
      const preimage = hex.encode(secret);
      asks.push(['reverse claim', `reverse/${swap.id}/claim`, { preimage, ...spend() }]);
      asks.push(['chain claim', `chain/${swap.id}/claim`, { preimage, toSign: spend() }]);
      asks.push(['chain claim', `chain/${swap.id}/claim`, { preimage, toSign: spend(), signature: part }]);
    }
    asks.push(['reverse claim', `reverse/${swap.id}/claim`, spend()]);
    for (const kind of ['submarine', 'chain']) asks.push([`${kind} refund`, `${kind}/${swap.id}/refund`, spend()]);
  }
  const refund = asking.refund ?? strangersRefund;
  for (const kind of ['submarine', 'chain']) {
    asks.push(['our claim', `${kind}/${swap.id}/claim`]);
    asks.push(['our claim', `${kind}/${swap.id}/claim`, kind === 'chain' ? { signature: part } : part]);
    asks.push(['ark refund', `${kind}/${swap.id}/refund/ark`, refund]);
  }
  const signed = new Set<string>();
  for (const [name, path, body] of asks) {
    const answer = await node.raw(body === undefined ? 'GET' : 'POST', `/v2/swap/${path}`, body);
    if ('partialSignature' in answer.body || 'checkpoint' in answer.body) signed.add(name);
    // What our claim of a coin is made of is no signature: its client signs first.
    else if (answer.status !== 200) expect([400, 404]).toContain(answer.status);
    else expect([name, body]).toEqual(['our claim', undefined]);
  }
  return [...signed];
}

/** What the published client asks to be signed for its refund on Arkade, whatever becomes of that. */
async function refundOf(refund: () => Promise<unknown>): Promise<Json> {
  const sent = vi.spyOn(globalThis, 'fetch');
  try {
    await refund();
    const [, init] = sent.mock.calls.find(([url]) => String(url).endsWith('/refund/ark')) ?? [];
    return JSON.parse(String(init?.body)) as Json;
  } finally {
    sent.mockRestore();
  }
}

const strangersRefund = { transaction: 'AA==', checkpoint: 'AA==' };
/** The output of a transaction that holds so much. */
function outputOf(raw: string, amount: number) {
  const tx = Transaction.fromRaw(hex.decode(raw), { allowUnknownOutputs: true });
  const vout = Array.from({ length: tx.outputsLength }, (_, at) => at).find(
    (at) => tx.getOutput(at).amount === BigInt(amount),
  );
  const { script } = tx.getOutput(vout ?? 0);
  if (vout === undefined || script === undefined) throw new Error(`no output holds ${amount}`);
  return { transactionId: tx.id, vout, script, amount: BigInt(amount) };
}

let strangersCoin: ClaimDetails;
const accounts = async () =>
  (await node.owner('GET', '/owner/accounts'))['accounts'] as Record<'account' | 'asset' | 'balance', string>[];
const sumOf = async (name: string) =>
  (await accounts())
    .filter(({ account, asset }) => account === name && asset === 'btc')
    .reduce((sum, { balance }) => sum + Number(balance), 0);

test('of what we lock for a payment, no claim but by its own secret', patience, async () => {
  const swap = await createReverse(node.url, { onchainAmount: 60_000 });
  const payment = await node.pay(text(swap.reply, 'invoice'));
  const first = await becomes(swap.id, /transaction\.(mempool|confirmed)/);
  const coin = coinOf(swap, rawOf(first), 'both', swap.preimage);
  strangersCoin = { ...coin, transactionId: '11'.repeat(32) };
  expect(await signedFor(swap, { coin })).toEqual([]);
  const unpaid = await createReverse(node.url, { onchainAmount: 60_000 });
  const { preimage: secret } = unpaid;
  expect(await signedFor(unpaid, { secret })).toEqual([]);
  expect(await signedFor(unpaid, { secret, coin })).toEqual([]);
  await becomes(swap.id, /transaction\.confirmed/, 1);
  expect(await signedFor(swap, { coin })).toEqual([]);
  // Its own secret opens its own coin alone.
  expect(await signedFor(swap, { secret: swap.preimage })).toEqual([]);
  expect(await signedFor(swap, { coin, secret })).toEqual([]);
  const tx = claimTx([coin], 500n);
  const more = { preimage: hex.encode(swap.preimage) };
  await signTogether(node.url, `/v2/swap/reverse/${swap.id}/claim`, { swap, tx, coins: [coin], more });
  await broadcast(node.url, tx);
  expect(await signedFor(swap, { coin, secret: swap.preimage })).toEqual(['reverse claim']);
  await becomes(swap.id, /invoice\.settled/, 1);
  expect(await signedFor(swap, { coin })).toEqual([]);
  expect(await signedFor(unpaid, { secret: swap.preimage, coin })).toEqual([]);
  expect(await node.payment(payment)).toBe('settled');
});

test.each(['settles', 'fails'] as const)('of what it locks for an invoice that %s', patience, async (outcome) => {
  const { bolt11, hash } = await node.invoice(50_000, { hold: true });
  const swap = await createSubmarine(node.url, bolt11, hash);
  expect(await signedFor(swap)).toEqual([]);
  await pay(text(swap.reply, 'address'), whole(swap.reply, 'expectedAmount'));
  const coin = coinOf(swap, rawOf(await becomes(swap.id, /transaction\.mempool/)), 'both');
  expect(await signedFor(swap, { coin })).toEqual([]);
  await becomes(swap.id, /invoice\.pending/, 1);
  expect(await signedFor(swap, { coin })).toEqual([]);
  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome });
  if (outcome === 'settles') {
    await becomes(swap.id, /transaction\.claim\.pending/);
    expect(await signedFor(swap, { coin })).toEqual([]);
    await becomes(swap.id, /transaction\.claimed/, 1);
    expect(await signedFor(swap, { coin })).toEqual([]);
    return;
  }
  await becomes(swap.id, /invoice\.failedToPay/);
  expect(await signedFor(swap, { coin })).toEqual(['submarine refund']);
  const tx = refundTx(coin, 0);
  await signTogether(node.url, `/v2/swap/submarine/${swap.id}/refund`, { swap, tx, coins: [coin] });
  // What is signed once may be signed again, and nothing else is.
  expect(await signedFor(swap, { coin })).toEqual(['submarine refund']);
  await broadcast(node.url, tx);
  await becomes(swap.id, /swap\.expired/, 1);
  expect(await signedFor(swap)).toEqual([]);
});

test('of a swap between chains, and nothing is lost by any of them', patience, async () => {
  const amount = { serverLockAmount: 30_000 };
  const toArk = await createChainToArk(node.url, { claimPublicKey: client.publicKey, amount });
  const secret = toArk.preimage;
  expect(await signedFor(toArk, { secret })).toEqual([]);
  const lock = toArk.reply['lockupDetails'] as Json;
  await pay(text(lock, 'lockupAddress'), whole(lock, 'amount'));
  const coin = coinOf(toArk, rawOf(await becomes(toArk.id, /transaction\.mempool/)), 'both');
  expect(await signedFor(toArk, { coin, secret })).toEqual([]);
  await mine();
  await becomes(toArk.id, /transaction\.server\.confirmed/);
  expect(await signedFor(toArk, { coin, secret })).toEqual([]);

  const { pendingSwap } = await client.swaps.arkToBtc({
    btcAddress: 'bcrt1qxvenxvenxvenxvenxvenxvenxvenxven4a9y4w',
    receiverLockAmount: 40_000,
  });
  const toBtc = { id: pendingSwap.id, musig: toArk.musig };
  const own = hex.decode(pendingSwap.preimage);
  expect(await signedFor(toBtc, { coin, secret: own })).toEqual([]);
  const { lockupAddress, amount: price } = pendingSwap.response.lockupDetails;
  await client.wallet.send({ address: lockupAddress, amount: price });
  const raw = rawOf(await becomes(toBtc.id, /transaction\.server\./));
  const refund = await refundOf(() => client.swaps.refundArk(pendingSwap));
  expect(await signedFor(toBtc, { coin, refund })).toEqual([]);

  const { timeouts } = toArk.reply['claimDetails'] as { timeouts: Json };
  await node.advanceTo(whole(timeouts, 'refund') + 1);
  const { timeoutBlockHeight } = pendingSwap.response.claimDetails;
  await mine(Math.max(12, timeoutBlockHeight + 1 - whole(await node.get('/v2/chain/BTC/height'), 'height')));
  await becomes(toArk.id, /transaction\.refunded/, 1);
  expect(await signedFor(toArk, { coin, secret })).toEqual(['chain refund']);
  const tx = refundTx(coin, 0);
  await signTogether(node.url, `/v2/swap/chain/${toArk.id}/refund`, { swap: toArk, tx, coins: [coin] });
  expect(await signedFor(toArk, { coin, secret })).toEqual(['chain refund']);
  await becomes(toBtc.id, /swap\.expired/, 1);
  // Asked for again after it was signed it is the same, and our own lock is signed for by no secret any more.
  const lost = { ...coin, ...outputOf(raw, pendingSwap.response.claimDetails.amount) };
  for (let time = 0; time < 2; time++)
    expect(await signedFor(toBtc, { coin: lost, secret: own, refund })).toEqual(['ark refund']);
  expect(await signedFor(toArk, { coin, refund })).toEqual(['chain refund']);
  await eventually(
    () => sumOf('clearing'),
    (sum) => sum === 0,
  );
  expect(await sumOf('losses')).toBe(0);
});

test(
  'fault 132: of what waits for its invoice no refund on Arkade, and it is paid all the same',
  patience,
  async () => {
    const { bolt11, hash } = await node.invoice(40_000);
    const request = { from: 'ARK', to: 'BTC', refundPublicKey: client.publicKey };
    const { body: response } = await node.raw('POST', '/v2/swap/submarine', { ...request, preimageHash: hash });
    const id = text(response, 'id');
    const { fees } = ((await node.get('/v2/swap/submarine'))['ARK'] as Json)['BTC'] as { fees: Json };
    const share = Math.ceil((40_000 * Number(fees['percentage'])) / 100);
    const address = text(response, 'address');
    await client.wallet.send({ address, amount: 40_000 + share + whole(fees, 'minerFees') });
    await becomes(id, /transaction\.mempool/);
    const refund = await refundOf(() =>
      client.swaps.refundVHTLC({
        ...{ id, type: 'submarine', createdAt: 0, status: 'invoice.failedToPay', preimageHash: hash },
        ...{ request: { ...request, invoice: bolt11 }, response },
      } as never),
    );
    const { musig } = await createReverse(node.url, { onchainAmount: 60_000 });
    expect(await signedFor({ id, musig }, { refund })).toEqual([]);
    expect((await node.raw('POST', `/v2/swap/submarine/${id}/invoice`, { invoice: bolt11 })).status).toBe(200);
    await becomes(id, /transaction\.claimed/);
    expect(await signedFor({ id, musig }, { refund })).toEqual([]);
  },
);

test('a hash of this door is taken at the door of the node as well, and the other way round', patience, async () => {
  const { preimage } = await createReverse(node.url, { onchainAmount: 60_000 });
  const create = (secret: Uint8Array) =>
    node.raw('POST', '/swap/lightning/bitcoin', {
      ...{ btc_htlc_script_version: 2, claim_pk: client.publicKey, user_id: 'other door', source_amount_sats: 60_000 },
      hash_lock: `0x${hex.encode(sha256(secret))}`,
    });
  expect((await create(preimage)).status).toBe(409);
  const secret = randomBytes(32);
  expect((await create(secret)).status).toBe(200);
  const again = await node.raw('POST', '/v2/swap/reverse', {
    ...{ from: 'BTC', to: 'BTC', onchainAmount: 60_000, claimPublicKey: client.publicKey },
    preimageHash: hex.encode(sha256(secret)),
  });
  expect([again.status, again.body['error']]).toEqual([409, expect.stringContaining('a swap with this preimage hash')]);
});
