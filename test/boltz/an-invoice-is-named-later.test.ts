import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeInvoice, encodeInvoice } from '../../engine/sandbox/world/lightning/bolt11.ts';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { createReverse, createSubmarine } from './core-kit.ts';
import { startDoorNode } from './kit.ts';

/* A submarine swap is made for a hash alone: its invoice comes once, and has to fit to all that is there already. */

const patience = { timeout: 240_000 };
const publicKey = hex.encode(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()));
let node: WireNode;

beforeAll(async () => {
  node = await startDoorNode();
}, 120_000);
afterAll(() => node?.stop());

const status = (id: string) => node.get(`/v2/swap/${id}`);
const becomes = (id: string, word: string) =>
  eventually(
    async () => {
      await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return status(id);
    },
    (now) => now['status'] === word,
  );

async function answer(method: 'GET' | 'POST', path: string, body?: Json): Promise<string> {
  const reply = await node.raw(method, `/v2/swap/submarine${path}`, body);
  return `${reply.status} ${String(reply.body['error'] ?? JSON.stringify(reply.body))}`;
}
const name = (id: string, invoice: string) => answer('POST', `/${id}/invoice`, { invoice });
const amountOf = (id: string) => answer('GET', `/${id}/invoice/amount`);

async function create(hash: string): Promise<{ id: string; address: string }> {
  const { status: code, body } = await node.raw('POST', '/v2/swap/submarine', {
    ...{ from: 'ARK', to: 'BTC', preimageHash: hash, refundPublicKey: publicKey, invoice: '' },
  });
  expect([code, body['expectedAmount'], body['bip21']]).toEqual([201, undefined, undefined]);
  return { id: text(body, 'id'), address: text(body, 'address') };
}

/** What has to be locked for an invoice, by the pair as it is told. */
async function priceOf(amount: number): Promise<number> {
  const { fees } = ((await node.get('/v2/swap/submarine'))['ARK'] as Json)['BTC'] as Json;
  const { percentage, minerFees } = fees as { percentage: number; minerFees: number };
  return amount + Math.ceil((amount * percentage) / 100) + minerFees;
}

/** Locked before its invoice is named. */
async function locked(amount: number, options: Json = {}) {
  const invoice = await node.invoice(amount, options);
  const swap = await create(invoice.hash);
  await node.faucet(swap.address, await priceOf(amount));
  await becomes(swap.id, 'transaction.mempool');
  return { ...swap, ...invoice };
}

test('fault 215: what is named without a payment comes out of its client’s share', patience, async () => {
  await node.owner('PATCH', '/owner/settings', { caps: { perNetworkSats: { lightning: 200_000 } } });
  const [first, second] = [await node.invoice(60_000), await node.invoice(60_000)];
  const [one, two] = [await create(first.hash), await create(second.hash)];
  expect(await name(one.id, first.bolt11)).toMatch(/^200 /);
  expect(await name(two.id, second.bolt11)).toMatch(/^429 Your swaps that wait for their funding hold as much /);
  await node.owner('PATCH', '/owner/settings', { caps: { perNetworkSats: { lightning: 0 } } });
  expect(await name(two.id, second.bolt11)).toMatch(/^200 /);
});

test('Bitcoin: named before anything is locked', patience, async () => {
  const { bolt11, hash } = await node.invoice(50_000);
  const swap = await createSubmarine(node.url, null, hash);
  expect(text(swap.reply, 'bip21')).toBe(`bitcoin:${text(swap.reply, 'address')}?label=Swap`);
  expect(await status(swap.id)).toEqual({ status: 'swap.created' });
  expect(await amountOf(swap.id)).toBe('400 no coins were locked up yet');
  const { status: code, body } = await node.raw('POST', `/v2/swap/submarine/${swap.id}/invoice`, { invoice: bolt11 });
  expect([code, body['acceptZeroConf']]).toEqual([200, false]);
  const amount = whole(body, 'expectedAmount');
  expect(text(body, 'bip21')).toMatch(new RegExp(`^bitcoin:${text(swap.reply, 'address')}\\?amount=0\\.000`));
  expect(await status(swap.id)).toEqual({ status: 'invoice.set' });
  await node.owner('POST', '/sandbox/bitcoin/faucet', { address: text(swap.reply, 'address'), amount });
  await becomes(swap.id, 'transaction.claimed');
  expect(await answer('GET', `/${swap.id}/preimage`)).toMatch(/^200 /);
});

test('Bitcoin: named once its coin lies there', patience, async () => {
  const { bolt11, hash } = await node.invoice(50_000);
  const probe = await node.invoice(50_000);
  const { expectedAmount } = (
    await node.raw('POST', '/v2/swap/submarine', {
      ...{ from: 'BTC', to: 'BTC', invoice: probe.bolt11, refundPublicKey: publicKey },
    })
  ).body;
  const swap = await createSubmarine(node.url, null, hash);
  await node.owner('POST', '/sandbox/bitcoin/faucet', {
    ...{ address: text(swap.reply, 'address'), amount: expectedAmount },
  });
  const shown = await eventually(
    () => status(swap.id),
    (now) => now['status'] === 'transaction.mempool',
  );
  expect(shown['transaction']).toMatchObject({ hex: expect.any(String) });
  expect(await amountOf(swap.id)).toBe('200 {"invoiceAmount":50000}');
  expect(await name(swap.id, bolt11)).toMatch(/^200 /);
  await becomes(swap.id, 'transaction.claimed');
});

test('Arkade: named once its coin lies there, and shown as what it came to be', patience, async () => {
  const swap = await locked(40_000);
  expect(await amountOf(swap.id)).toBe('200 {"invoiceAmount":40000}');
  expect(await name(swap.id, swap.bolt11.toUpperCase())).toBe(
    `200 {"expectedAmount":${await priceOf(40_000)},"acceptZeroConf":true}`,
  );
  await becomes(swap.id, 'transaction.claimed');
  const { swaps } = (await node.owner('GET', `/owner/swaps?q=boltz:${swap.id}`)) as unknown as { swaps: Json[] };
  expect(swaps).toMatchObject([{ value_sats: 40_000 }]);
  const { record } = (await node.owner('GET', `/owner/swaps/${String(swaps[0]?.['id'])}`)) as { record: Json };
  expect(record).toMatchObject({
    ...{ client_lightning_invoice: swap.bolt11, target_amount: '40000' },
    source_amount: String(await priceOf(40_000)),
  });
  expect(await name(swap.id, swap.bolt11)).toBe(`400 swap ${swap.id} has an invoice already`);
});

test('an invoice of another hash is nobody’s', patience, async () => {
  const swap = await locked(40_000);
  const other = await node.invoice(40_000);
  expect(await name(swap.id, other.bolt11)).toBe('400 invoice: it has another hash than the swap');
  expect(await status(swap.id)).toMatchObject({ status: 'transaction.mempool' });
});

test.each([
  [
    'asks for more blocks than there is time for',
    { cltvDelta: 145, seconds: 7_200 },
    /^400 The invoice asks for a final CLTV delta of 145/,
  ],
  [
    'is over before it could be paid',
    { cltvDelta: 80, seconds: 120 },
    /^400 lightning_invoice expires at \d+, before the swap/,
  ],
  ['is over already', { cltvDelta: 80, seconds: -1 }, /^400 lightning_invoice expired at /],
] as const)('an invoice that %s is refused, and the coin stays its client’s', patience, async (_, changes, refused) => {
  const swap = await locked(38_000);
  const invoice = decodeInvoice(swap.bolt11);
  const privateKey = secp256k1.utils.randomSecretKey();
  const keys = { privateKey, publicKey: hex.encode(secp256k1.getPublicKey(privateKey)) };
  const expiresAt = (await node.now()) + changes.seconds;
  const times = { createdAt: expiresAt - 10_000, expiresAt };
  const bolt11 = encodeInvoice({ ...invoice, ...times, cltvDelta: changes.cltvDelta }, keys);
  expect(await name(swap.id, bolt11)).toMatch(refused);
  expect(await status(swap.id)).toMatchObject({ status: 'transaction.mempool' });
  expect(await amountOf(swap.id)).toBe('200 {"invoiceAmount":38000}');
});

test('an invoice has to fit to what was locked', patience, async () => {
  const { bolt11, hash } = await node.invoice(60_000);
  const [less, more] = [await create(hash), await priceOf(50_000)];
  await node.faucet(less.address, more);
  await becomes(less.id, 'transaction.mempool');
  expect(await name(less.id, bolt11)).toBe('400 invoice amount exceeds the maximal of 50000');
  const small = await node.invoice(20_000);
  const much = await create(small.hash);
  await node.faucet(much.address, more);
  await becomes(much.id, 'transaction.mempool');
  expect(await name(much.id, small.bolt11)).toBe(
    '400 invoice amount is below 50000, the amount that the lockup pays for',
  );
});

test('a stranger’s coin at the lock keeps no invoice out', patience, async () => {
  const swap = await locked(39_000);
  for (const stray of [330, 600_000]) await node.faucet(swap.address, stray);
  await eventually(
    () => amountOf(swap.id),
    (now) => now !== '200 {"invoiceAmount":39000}',
  );
  expect(await name(swap.id, swap.bolt11)).toMatch(/^200 /);
  await becomes(swap.id, 'transaction.claimed');
});

test('fault 133: one of two that are named at once is, and it is paid once', patience, async () => {
  const swap = await locked(41_000);
  const answers = await Promise.all(Array.from({ length: 5 }, () => name(swap.id, swap.bolt11)));
  expect(answers.map((one) => one.slice(0, 3)).toSorted()).toEqual(['200', '400', '400', '400', '400']);
  await becomes(swap.id, 'transaction.claimed');
});

test('a hash is one swap’s, whichever door it comes by', patience, async () => {
  const swap = await locked(42_000);
  await expect(createSubmarine(node.url, null, swap.hash)).rejects.toThrow(
    /^409 a swap with this preimage hash exists/,
  );
  await expect(createSubmarine(node.url, swap.bolt11, swap.hash)).rejects.toThrow(
    /^409 a swap with this invoice exists/,
  );
  const wallet = await node.client();
  await expect(wallet.arkadeToLightning(swap.bolt11)).rejects.toThrow(/a swap with this invoice exists/);
  const { preimage, id } = await createReverse(node.url, { onchainAmount: 60_000 });
  const used = Buffer.from(await crypto.subtle.digest('SHA-256', Uint8Array.from(preimage))).toString('hex');
  await expect(createSubmarine(node.url, null, used)).rejects.toThrow(/^409 a swap with this preimage hash exists/);
  expect(await status(id)).toEqual({ status: 'swap.created' });
  await node.payment(swap.hash).catch(() => null);
  expect(await name(swap.id, swap.bolt11)).toMatch(/^200 /);
});

test('without one in time what was locked is its client’s again', patience, async () => {
  const swap = await locked(43_000);
  const nothing = await create((await node.invoice(43_000)).hash);
  await node.advance(1_760);
  expect(await name(swap.id, swap.bolt11)).toBe('400 time until expiry too short');
  await node.advance(100);
  await becomes(swap.id, 'invoice.failedToPay');
  await becomes(nothing.id, 'swap.expired');
  expect(await name(swap.id, swap.bolt11)).toBe('400 the swap takes no invoice any more');
});

test('killed once it was named, the node pays it', patience, async () => {
  const swap = await locked(44_000);
  expect(await name(swap.id, swap.bolt11)).toMatch(/^200 /);
  await node.restart('SIGKILL');
  await becomes(swap.id, 'transaction.claimed');
});

test('fault 133: a copy from before it was named finds what was paid, and pays nothing twice', patience, async () => {
  const swap = await locked(45_000);
  const other = await locked(46_000);
  const part = (of: string, suffix: string) => join(node.folder, `${of}${suffix}`);
  for (const suffix of ['', '-wal']) copyFileSync(part('sluice.db', suffix), part('copy', suffix));
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
  expect(await name(swap.id, swap.bolt11)).toMatch(/^200 /);
  await becomes(swap.id, 'invoice.pending');
  await node.kill('SIGTERM');
  for (const suffix of ['', '-wal', '-shm']) rmSync(part('sluice.db', suffix), { force: true });
  for (const suffix of ['', '-wal']) copyFileSync(part('copy', suffix), part('sluice.db', suffix));
  await node.start();
  const refused = '409 a refund for this swap was signed already';
  expect([await name(swap.id, swap.bolt11), await name(other.id, other.bolt11)]).toEqual([refused, refused]);
  await node.owner('POST', '/sandbox/lightning/release', { payment_hash: swap.hash, outcome: 'settles' });
  await becomes(swap.id, 'transaction.claimed');
  expect(await status(other.id)).toMatchObject({ status: 'transaction.mempool' });
});
