import { createHash } from 'node:crypto';
import { hex } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { read } from '../stories/client/esplora.ts';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import {
  broadcast,
  claimTx,
  coinOf,
  createReverse,
  createSubmarine,
  post,
  refundTx,
  signTheirClaim,
  signTogether,
  type CoreReverse,
  type CoreSwap,
} from './core-kit.ts';
import { startDoorNode } from './kit.ts';

/* boltz-core as it is published derives the locks, claims and takes back; nothing of the node's code is in it. */

const patience = { timeout: 240_000 };
let node: WireNode;

beforeAll(async () => {
  node = await startDoorNode();
}, 120_000);
afterAll(() => node.stop());

const mine = (blocks = 1) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
const status = ({ id }: Pick<CoreSwap, 'id'>) => node.get(`/v2/swap/${id}`);
const rawOf = (answer: Json) => text(answer['transaction'] as Json, 'hex');

/** Until it is there, a block at a time. */
async function mined(swap: CoreSwap, word: string): Promise<Json> {
  return eventually(
    async () => {
      await mine();
      return status(swap);
    },
    (now) => now['status'] === word,
    120_000,
  );
}

async function funded(swap: CoreSwap): Promise<string> {
  await node.owner('POST', '/sandbox/bitcoin/faucet', {
    address: text(swap.reply, 'address'),
    amount: whole(swap.reply, 'expectedAmount'),
  });
  const answer = await eventually(
    () => status(swap),
    (now) => now['status'] === 'transaction.mempool' || now['status'] === 'transaction.confirmed',
  );
  return rawOf(answer);
}

async function locked(amount: Json): Promise<{ swap: CoreReverse; raw: string }> {
  const swap = await createReverse(node.url, amount);
  await node.pay(text(swap.reply, 'invoice'));
  const answer = await eventually(
    () => status(swap),
    (now) => now['status'] === 'transaction.mempool' || now['status'] === 'transaction.confirmed',
  );
  return { swap, raw: rawOf(answer) };
}

test('Lightning to Bitcoin: claimed by the key of both, and the payment is settled', patience, async () => {
  const { swap, raw } = await locked({ onchainAmount: 60_000 });
  const coin = coinOf(swap, raw, 'both', swap.preimage);
  expect([coin.amount, swap.reply['onchainAmount']]).toEqual([60_000n, 60_000]);
  const tx = claimTx([coin]);
  const more = { preimage: hex.encode(swap.preimage) };
  await signTogether(node.url, `/v2/swap/reverse/${swap.id}/claim`, { swap, tx, coins: [coin], more });
  await broadcast(node.url, tx);
  expect(await mined(swap, 'invoice.settled')).toMatchObject({ transaction: { hex: raw } });
  expect(await node.get(`/v2/swap/reverse/${swap.id}/transaction`)).toEqual({
    id: coin.transactionId,
    hex: raw,
    timeoutBlockHeight: swap.reply['timeoutBlockHeight'],
  });
});

test('Lightning to Bitcoin: claimed by its script without a word to us', patience, async () => {
  const { swap, raw } = await locked({ invoiceAmount: 70_000 });
  await broadcast(node.url, claimTx([coinOf(swap, raw, 'script', swap.preimage)]));
  await mined(swap, 'invoice.settled');
});

test('two swaps in one transaction: each input gets a signature of its own swap alone', patience, async () => {
  const [one, other] = [await locked({ onchainAmount: 60_000 }), await locked({ onchainAmount: 61_000 })];
  const coins = [one, other].map(({ swap, raw }) => coinOf(swap, raw, 'both', swap.preimage));
  const tx = claimTx(coins);
  const ask = ({ swap }: typeof one, index: number) =>
    signTogether(node.url, `/v2/swap/reverse/${swap.id}/claim`, {
      ...{ swap, tx, coins, index },
      more: { preimage: hex.encode(swap.preimage) },
    });
  await expect(ask(one, 1)).rejects.toThrow(/400/);
  await ask(one, 0);
  await ask(other, 1);
  await broadcast(node.url, tx);
  await mined(one.swap, 'invoice.settled');
  await mined(other.swap, 'invoice.settled');
});

test('Bitcoin to Lightning: the invoice is paid, and its preimage is shown', patience, async () => {
  const { bolt11, hash } = await node.invoice(80_000);
  const swap = await createSubmarine(node.url, bolt11, hash);
  expect(text(swap.reply, 'bip21')).toMatch(/^bitcoin:bcrt1p[0-9a-z]+\?amount=0\.0008\d*[1-9]&label=Swap$/);
  await expect(node.get(`/v2/swap/submarine/${swap.id}/preimage`)).rejects.toThrow(/404/);
  await expect(node.get(`/v2/swap/submarine/${swap.id}/transaction`)).rejects.toThrow(/400/);
  const raw = await funded(swap);
  await mined(swap, 'transaction.claimed');
  expect(await takenBy(swap, raw)).toBeGreaterThan(1);
  const preimage = text(await node.get(`/v2/swap/submarine/${swap.id}/preimage`), 'preimage');
  expect(createHash('sha256').update(hex.decode(preimage)).digest('hex')).toBe(hash);
  expect(await node.get(`/v2/swap/submarine/${swap.id}/transaction`)).toMatchObject({ hex: raw });
});

/** What took the coin of the swap, by how many items its witness has: one, or those of the script. */
async function takenBy(swap: CoreSwap, raw: string): Promise<number> {
  const { transactionId, vout } = coinOf(swap, raw, 'both');
  const esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
  const spent = await eventually(
    () => read<Json>(esplora, `/tx/${transactionId}/outspend/${vout}`),
    (answer) => answer['spent'] === true,
    30_000,
  );
  const { vin } = await read<{ vin: { witness: string[] }[] }>(esplora, `/tx/${text(spent, 'txid')}`);
  return vin[0]?.witness.length ?? 0;
}

test('Bitcoin to Lightning: our claim is signed by its client too, and goes by the key of both', patience, async () => {
  const { bolt11, hash } = await node.invoice(80_000);
  const swap = await createSubmarine(node.url, bolt11, hash);
  const path = `/v2/swap/submarine/${swap.id}/claim`;
  await expect(signTheirClaim(node.url, path, swap, hash)).rejects.toThrow(/swap not eligible for a cooperative claim/);
  const raw = await funded(swap);
  await mine();
  const pending = await eventually(
    () => status(swap),
    (now) => now['status'] === 'transaction.claim.pending',
  );
  expect(pending).toMatchObject({ transaction: { hex: raw } });
  const nothing = { pubNonce: `02${'11'.repeat(32)}03${'22'.repeat(32)}`, partialSignature: '33'.repeat(32) };
  await expect(post(node.url, path, nothing)).rejects.toThrow(/400 The partial signature is not valid/);
  expect(await signTheirClaim(node.url, path, swap, hash)).toEqual({});
  await expect(signTheirClaim(node.url, path, swap, hash)).rejects.toThrow(/not eligible for a cooperative claim/);
  expect(await takenBy(swap, raw)).toBe(1);
  await mined(swap, 'transaction.claimed');
});

test('Bitcoin to Lightning: what cannot be paid comes back by the key of both at once', patience, async () => {
  const { bolt11, hash } = await node.invoice(80_000);
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'fails' });
  const swap = await createSubmarine(node.url, bolt11, hash);
  const raw = await funded(swap);
  const coin = coinOf(swap, raw, 'both');
  const refund = refundTx(coin, 0);
  const path = `/v2/swap/submarine/${swap.id}/refund`;
  await expect(signTogether(node.url, path, { swap, tx: refund, coins: [coin] })).rejects.toThrow(/not eligible/);
  await mined(swap, 'invoice.failedToPay');
  await signTogether(node.url, path, { swap, tx: refund, coins: [coin] });
  await broadcast(node.url, refund);
  await mined(swap, 'swap.expired');
});

test(
  'Lightning to Bitcoin: a node that is killed once it has locked signs with its client after',
  patience,
  async () => {
    const { swap, raw } = await locked({ onchainAmount: 60_000 });
    await node.restart('SIGKILL');
    const coin = coinOf(swap, raw, 'both', swap.preimage);
    const tx = claimTx([coin]);
    const more = { preimage: hex.encode(swap.preimage) };
    await signTogether(node.url, `/v2/swap/reverse/${swap.id}/claim`, { swap, tx, coins: [coin], more });
    await node.restart('SIGKILL');
    await broadcast(node.url, tx);
    await mined(swap, 'invoice.settled');
  },
);

test('Bitcoin to Lightning: a node that is killed while it pays pays once, and takes the coin', patience, async () => {
  const { bolt11, hash } = await node.invoice(80_000, { hold: true });
  const swap = await createSubmarine(node.url, bolt11, hash);
  await funded(swap);
  await mined(swap, 'invoice.pending');
  await node.restart('SIGKILL');
  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'settles' });
  await mined(swap, 'transaction.claimed');
});
