import { hex } from '@scure/base';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { createChainToArk, createSubmarine } from './core-kit.ts';
import { startLooseNode } from './kit.ts';

/* What its sender may still send elsewhere is worth no promise of ours beside the share of a client. */

const patience = { timeout: 240_000 };
const claimPublicKey = hex.encode(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()));
let node: WireNode;

beforeAll(async () => {
  node = await startLooseNode({ maxSwapSats: 60_000, maxLossSats: 100_000 });
  await node.owner('POST', '/sandbox/bitcoin/mine', { auto_seconds: null });
}, 120_000);
afterAll(() => node?.stop());

const mine = () => node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
const fund = (address: string, amount: number) => node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
const becomes = (id: string, word: string) =>
  eventually(
    () => node.get(`/v2/swap/${id}`),
    ({ status }) => status === word,
  );

async function answer(method: 'GET' | 'POST', path: string, body?: Json): Promise<string> {
  const reply = await node.raw(method, `/v2/swap/${path}`, body);
  return `${reply.status} ${String(reply.body['error'] ?? JSON.stringify(reply.body))}`;
}

/** A submarine swap for a hash alone, whose coin waits for a block. */
async function unnamed(source: number) {
  const { bolt11: invoice, hash } = await node.invoice(60_000);
  const swap = await createSubmarine(node.url, null, hash);
  const coin = await fund(text(swap.reply, 'address'), source);
  await becomes(swap.id, 'transaction.mempool');
  return { id: swap.id, coin, name: () => answer('POST', `submarine/${swap.id}/invoice`, { invoice }) };
}

/** What is to be locked for an invoice of 60,000 sats. */
async function priceNow(): Promise<number> {
  const { fees } = ((await node.get('/v2/swap/submarine'))['BTC'] as Json)['BTC'] as Json;
  const { percentage, minerFees } = fees as { percentage: number; minerFees: number };
  return 60_000 + Math.ceil((60_000 * percentage) / 100) + minerFees;
}

test('fault 240, bitcoin: a coin that is sent on before a block pays for one invoice alone', patience, async () => {
  await node.owner('PATCH', '/owner/settings', { caps: { perNetworkSats: { lightning: 200_000 } } });
  const price = await priceNow();
  const first = await unnamed(price);
  expect(await first.name()).toMatch(/^200 /);
  await node.owner('POST', '/sandbox/bitcoin/evict', { txid: text(first.coin, 'txid') });
  await becomes(first.id, 'invoice.set');
  const second = await unnamed(price);
  expect(await second.name()).toMatch(/^429 Your swaps that wait for their funding hold as much /);
  await mine();
  // Once it cannot be sent on it is worth its invoice, whatever else its client has open.
  await eventually(second.name, (reply) => reply.startsWith('200 '));
  await eventually(
    async () => (await mine(), node.get(`/v2/swap/${second.id}`)),
    ({ status }) => status === 'transaction.claimed',
  );
});

test('fault 240, bitcoin: a quote is of what is in a block', patience, async () => {
  const swap = await createChainToArk(node.url, { claimPublicKey, amount: { serverLockAmount: 20_000 } });
  const lock = swap.reply['lockupDetails'] as Json;
  const address = text(lock, 'lockupAddress');
  const amount = whole(lock, 'amount');
  await fund(address, amount + 5_000);
  await mine();
  await becomes(swap.id, 'transaction.lockupFailed');
  const quote = () => answer('GET', `chain/${swap.id}/quote`);
  const small = await quote();
  expect(small).toMatch(/^200 /);
  await fund(address, amount + 20_000);
  await eventually(
    async () => {
      const { swaps } = (await node.owner('GET', `/owner/swaps?q=boltz:${swap.id}`)) as unknown as { swaps: Json[] };
      return node.owner('GET', `/owner/swaps/${text(swaps[0] ?? {}, 'id')}`);
    },
    ({ strays }) => (strays as Json[]).length === 2,
  );
  expect(await quote()).toBe(small);
  await mine();
  await eventually(quote, (now) => now !== small);
});
