import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { p2wpkh } from '@scure/btc-signer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { read, regtest, utxosAt } from '../stories/client/esplora.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { openPublishedClient, startDoorNode, type PublishedClient } from './kit.ts';

/* A chain swap is quoted anew for what its client locked, once, and by nothing but what it locked. */

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

const signed = '409 a refund for this swap was signed already';
const settled = '400 lockup transaction was not rejected because of the amount';
const mine = () => node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
const status = (id: string) => node.get(`/v2/swap/${id}`);
const becomes = (id: string, word: string) =>
  eventually(
    async () => {
      await mine();
      return status(id);
    },
    (now) => now['status'] === word,
  );

async function quote(id: string): Promise<string> {
  const { status: code, body } = await node.raw('GET', `/v2/swap/chain/${id}/quote`);
  return `${code} ${String(body['error'] ?? body['amount'])}`;
}

async function accept(id: string, amount: number): Promise<string> {
  const { status: code, body } = await node.raw('POST', `/v2/swap/chain/${id}/quote`, { amount });
  return `${code} ${String(body['error'] ?? JSON.stringify(body))}`;
}

/** What the node owes for so much, by the pair as it is told. */
async function quoted(locked: number): Promise<number> {
  const { fees } = ((await node.get('/v2/swap/chain'))['ARK'] as Json)['BTC'] as Json;
  const { percentage, minerFees } = fees as { percentage: number; minerFees: { server: number } };
  return locked - Math.ceil((locked * percentage) / 100) - minerFees.server;
}

async function create(amount: number) {
  const btcAddress = p2wpkh(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()), regtest).address ?? '';
  const { pendingSwap, arkAddress } = await client.swaps.arkToBtc({ btcAddress, senderLockAmount: amount });
  return { id: pendingSwap.id, pendingSwap, arkAddress, btcAddress };
}

/** A swap for so much, whose lock holds `locked`. */
async function mislocked(expected: number, locked: number) {
  const swap = await create(expected);
  await node.faucet(swap.arkAddress, locked);
  const { failureDetails } = await becomes(swap.id, 'transaction.lockupFailed');
  expect(failureDetails).toEqual({ expected, actual: locked });
  return swap;
}

/** As its owner sees it, which nobody else does. */
async function owned(id: string): Promise<Json> {
  const { swaps } = (await node.owner('GET', `/owner/swaps?q=boltz:${id}`)) as unknown as { swaps: Json[] };
  const line = swaps.find((one) => one['boltz_id'] === id) as Json;
  return { line, ...(await node.owner('GET', `/owner/swaps/${text(line, 'id')}`)) };
}

async function claimed(swap: Awaited<ReturnType<typeof create>>): Promise<number> {
  const { txid } = await client.swaps.waitAndClaimBtc(swap.pendingSwap);
  await mine();
  await eventually(
    () => read<Json>(esplora, `/tx/${txid}`),
    (tx) => (tx['status'] as Json)['confirmed'] === true,
  );
  return (await utxosAt(esplora, swap.btcAddress)).reduce((sum, { value }) => sum + value, 0);
}

test('the published client locks too much, agrees to the quote and claims it', patience, async () => {
  const swap = await mislocked(70_000, 90_000);
  const amount = await quoted(90_000);
  expect(await client.provider.getChainQuote(swap.id)).toEqual({ amount });
  const paid = await claimed(swap);
  expect(await becomes(swap.id, 'transaction.claimed')).toMatchObject({ status: 'transaction.claimed' });
  const { line, record, ledger } = (await eventually(
    () => owned(swap.id),
    ({ ledger: lines }) => (lines as Json[]).some(({ kind }) => kind === 'protocol-fee'),
  )) as unknown as { line: Json; record: Json; ledger: Json[] };
  expect(line).toMatchObject({ value_sats: amount });
  expect(record).toMatchObject({ source_amount: '90000', target_amount: String(amount) });
  expect(whole(record, 'fee_sats') + whole(record, 'network_fee_sats')).toBe(90_000 - amount);
  // All of it but what its client's own claim costs.
  expect(amount - paid).toBeGreaterThan(0);
  expect(amount - paid).toBeLessThan(500);
  const sum = (kind: string) =>
    ledger.filter((one) => one['kind'] === kind).reduce((all, one) => all + Number(one['amount']), 0);
  expect(sum('protocol-fee')).toBe(whole(record, 'fee_sats'));
  expect(sum('surplus')).toBe(0);
  const { accounts } = (await node.owner('GET', '/owner/accounts')) as unknown as { accounts: Json[] };
  const balances = accounts.filter(({ asset }) => asset === 'btc').map(({ balance }) => Number(balance));
  expect(balances.reduce((all, one) => all + one, 0)).toBeCloseTo(0, 3);
});

test('less is quoted too, and taken by nobody who does not want it', patience, async () => {
  const swap = await mislocked(70_000, 60_000);
  await expect(client.swaps.quoteSwap(swap.id)).rejects.toThrow(/below|baseline/);
  const amount = await client.swaps.getSwapQuote(swap.id);
  expect(amount).toBe(await quoted(60_000));
  for (const other of [amount - 1, amount + 1, 60_000, 70_000])
    expect(await accept(swap.id, other)).toBe('400 invalid quote');
  expect(await accept(swap.id, amount)).toBe('202 {}');
  expect(await quote(swap.id)).toBe(settled);
  const { transactions } = { transactions: await becomes(swap.id, 'transaction.server.confirmed') };
  expect(transactions).toMatchObject({ transaction: { hex: expect.any(String) } });
});

test('what was locked is said of the one coin that is quoted, and not of all together', patience, async () => {
  const swap = await mislocked(70_000, 60_000);
  await node.faucet(swap.arkAddress, 50_000);
  await eventually(
    () => owned(swap.id),
    ({ strays }) => (strays as Json[]).length === 2,
  );
  const { failureDetails } = await status(swap.id);
  expect(failureDetails).toEqual({ expected: 70_000, actual: 60_000 });
  expect(await quote(swap.id)).toBe(`200 ${await quoted(60_000)}`);
});

test('fault 133: of two that agree at once one does, and nobody twice', patience, async () => {
  const swap = await mislocked(70_000, 61_000);
  const amount = Number((await quote(swap.id)).slice(4));
  const answers = await Promise.all(Array.from({ length: 5 }, () => accept(swap.id, amount)));
  expect(answers.toSorted()).toEqual(['202 {}', ...Array.from({ length: 4 }, () => settled)]);
  expect(await accept(swap.id, amount)).toBe(settled);
});

test('a stranger’s coin at the lock displaces no quote', patience, async () => {
  const swap = await mislocked(70_000, 64_000);
  const amount = Number((await quote(swap.id)).slice(4));
  for (const stray of [330, 30_000, 90_000_000]) await node.faucet(swap.arkAddress, stray);
  expect(await quote(swap.id)).toBe(`200 ${amount}`);
  expect(await accept(swap.id, amount)).toBe('202 {}');
  await becomes(swap.id, 'transaction.server.confirmed');
  const { record } = (await owned(swap.id)) as { record: Json };
  expect(record).toMatchObject({ source_amount: '64000', target_amount: String(amount) });
});

test('what is not rejected for its amount is not quoted', patience, async () => {
  const waiting = await create(70_000);
  expect([await quote(waiting.id), await accept(waiting.id, 60_000)]).toEqual([settled, settled]);
  await node.faucet(waiting.arkAddress, 70_000);
  await becomes(waiting.id, 'transaction.server.confirmed');
  expect([await quote(waiting.id), await accept(waiting.id, 60_000)]).toEqual([settled, settled]);
  expect(await quote('unknownunkno')).toBe('404 could not find swap with id: unknownunkno');
});

test('fault 133: nothing is quoted once a refund is signed', patience, async () => {
  const swap = await mislocked(70_000, 60_000);
  const amount = Number((await quote(swap.id)).slice(4));
  expect(await client.swaps.refundArk(swap.pendingSwap)).toEqual({ swept: 1, skipped: 0 });
  expect([await quote(swap.id), await accept(swap.id, amount)]).toEqual([signed, signed]);
  expect(await status(swap.id)).toMatchObject({ status: 'swap.expired' });
});

test('the limits are those of a new swap', patience, async () => {
  const { limits } = ((await node.get('/v2/swap/chain'))['ARK'] as Json)['BTC'] as Json;
  const [minimal, maximal] = [whole(limits as Json, 'minimal'), whole(limits as Json, 'maximal')];
  const [less, more] = [minimal - 1, maximal + 1_000_000];
  expect(await quote((await mislocked(minimal + 100, less)).id)).toMatch(
    new RegExp(`^400 ${less} is less than minimal of `),
  );
  const big = await mislocked(70_000, more);
  expect(await quote(big.id)).toMatch(new RegExp(`^400 ${more} exceeds maximal of `));
  expect(await accept(big.id, more - 5_000)).toMatch(/exceeds maximal of/);
});

test('with too little time left nothing is quoted, and its client takes its lock back', patience, async () => {
  const swap = await mislocked(70_000, 60_000);
  const amount = Number((await quote(swap.id)).slice(4));
  await node.advance(1_760);
  expect([await quote(swap.id), await accept(swap.id, amount)]).toEqual([
    '400 time until expiry too short',
    '400 time until expiry too short',
  ]);
  expect(await status(swap.id)).toMatchObject({ status: 'swap.expired' });
  expect(await client.swaps.refundArk(swap.pendingSwap)).toEqual({ swept: 1, skipped: 0 });
});

test('killed once it agreed, the node locks what was quoted', patience, async () => {
  const swap = await mislocked(70_000, 62_000);
  const amount = Number((await quote(swap.id)).slice(4));
  expect(await accept(swap.id, amount)).toBe('202 {}');
  await node.restart('SIGKILL');
  await becomes(swap.id, 'transaction.server.confirmed');
  const { record } = (await owned(swap.id)) as { record: Json };
  expect(record).toMatchObject({ source_amount: '62000', target_amount: String(amount) });
});

test('fault 133: a copy from before it agreed gives nothing more, and signs no refund', patience, async () => {
  // The node has another port in each of its lives, and the client keeps to the first.
  await client.close();
  client = await openPublishedClient(node, []);
  const swap = await mislocked(70_000, 63_000);
  const amount = Number((await quote(swap.id)).slice(4));
  for (const part of ['', '-wal'])
    copyFileSync(join(node.folder, `sluice.db${part}`), join(node.folder, `copy${part}`));
  expect(await accept(swap.id, amount)).toBe('202 {}');
  await becomes(swap.id, 'transaction.server.confirmed');
  await node.kill('SIGTERM');
  for (const part of ['', '-wal', '-shm']) rmSync(join(node.folder, `sluice.db${part}`), { force: true });
  for (const part of ['', '-wal'])
    copyFileSync(join(node.folder, `copy${part}`), join(node.folder, `sluice.db${part}`));
  await node.start();
  expect([await quote(swap.id), await accept(swap.id, amount)]).toEqual([signed, signed]);
  const nonsense = { transaction: 'AA==', checkpoint: 'AA==' };
  const refund = await node.raw('POST', `/v2/swap/chain/${swap.id}/refund/ark`, nonsense);
  expect(`${refund.status} ${String(refund.body['error'])}`).toMatch(
    /^400 (Refund not allowed: the database was restored|the swap is not eligible for a cooperative refund)/,
  );
  // What it locked is at its own script, whatever amount the copy remembers.
  await becomes(swap.id, 'transaction.server.confirmed');
});
