import { hex } from '@scure/base';
import { Transaction } from '@scure/btc-signer';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { createReverse, createSubmarine } from './core-kit.ts';
import { startDoorNode } from './kit.ts';

const patience = { timeout: 240_000 };
let node: WireNode;

beforeAll(async () => {
  node = await startDoorNode();
}, 120_000);
afterAll(() => node?.stop());

const read = (path: string) => node.get(`/v2/${path}`);
const say = (path: string, body: Json) => node.raw('POST', `/v2/${path}`, body);

async function fundedSubmarine(): Promise<{ id: string; raw: string }> {
  const { bolt11, hash } = await node.invoice(50_000);
  const swap = await createSubmarine(node.url, bolt11, hash);
  const { address, expectedAmount: amount } = swap.reply;
  await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
  const first = await eventually(
    () => read(`swap/${swap.id}`),
    ({ status }) => status === 'transaction.mempool',
  );
  return { id: swap.id, raw: text(first['transaction'] as Json, 'hex') };
}

test('the chain: height, fees, the Lightning node, and a transaction with its confirmations', patience, async () => {
  const { raw } = await fundedSubmarine();
  const { height } = await read('chain/BTC/height');
  expect(await read('chain/heights')).toEqual({ BTC: height, 'L-BTC': 0 });
  const { fee } = await read('chain/BTC/fee');
  expect(fee).toBeGreaterThan(0);
  expect(await read('chain/fees')).toEqual({ BTC: fee, 'L-BTC': 0 });
  const { BTC: lightning } = await read('nodes');
  expect(text((lightning as Json)['SLUICE'] as Json, 'publicKey')).toMatch(/^0[23][0-9a-f]{64}$/);
  const { id } = Transaction.fromRaw(hex.decode(raw), { allowUnknownOutputs: true });
  expect(await read(`chain/BTC/transaction/${id}`)).toEqual({ hex: raw, confirmations: 0 });
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 2 });
  await eventually(
    () => read(`chain/BTC/transaction/${id}`),
    ({ confirmations }) => confirmations === 2,
  );
  expect(
    await eventually(
      () => read('chain/BTC/height'),
      (now) => now['height'] === Number(height) + 2,
    ),
  ).toBeTruthy();
  await expect(read(`chain/BTC/transaction/${'0'.repeat(64)}`)).rejects.toThrow(/404/);
});

test('statuses of several at once; a coin in no block is waited for, and that is said', patience, async () => {
  const { bolt11, hash } = await node.invoice(40_000);
  const [unpaid, paid] = [await createSubmarine(node.url, bolt11, hash), await fundedSubmarine()];
  const both = await read(`swap/status?ids=${unpaid.id}&ids=${paid.id}`);
  expect(both).toEqual({
    [unpaid.id]: { status: 'invoice.set' },
    [paid.id]: await read(`swap/${paid.id}`),
  });
  expect(both[paid.id]).toMatchObject({ status: 'transaction.mempool', zeroConfRejected: true });
  const confirmed = await eventually(
    async () => {
      await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
      return read(`swap/${paid.id}`);
    },
    ({ status }) => status !== 'transaction.mempool',
  );
  expect(confirmed).not.toHaveProperty('zeroConfRejected');
  await expect(read(`swap/status?ids=${paid.id}&ids=aaaaaaaaaaaa`)).rejects.toThrow(/404 could not find swap/);
  await expect(read('swap/status')).rejects.toThrow(/400 ids/);
  const many = Array.from({ length: 65 }, () => `ids=${paid.id}`).join('&');
  await expect(read(`swap/status?${many}`)).rejects.toThrow(/400 ids/);
});

test('a secret without a transaction is taken for what it is, and opens nothing', patience, async () => {
  const swap = await createReverse(node.url, { onchainAmount: 60_000 });
  const claim = `swap/reverse/${swap.id}/claim`;
  const preimage = hex.encode(swap.preimage);
  expect(await say(claim, { preimage })).toMatchObject({ status: 200, body: {} });
  expect((await say(claim, { preimage: hex.encode(randomBytes(32)) })).body).toEqual({ error: 'invalid preimage' });
  expect((await say(claim, { preimage: preimage.slice(2) })).status).toBe(400);
  expect((await say(claim, { preimage, index: 0 })).status).toBe(400);
  const payment = await node.pay(text(swap.reply, 'invoice'));
  await eventually(
    () => read(`swap/${swap.id}`),
    ({ status }) => status === 'transaction.confirmed' || status === 'transaction.mempool',
  );
  expect(await say(claim, { preimage })).toMatchObject({ status: 200, body: {} });
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 3 });
  // Our lock is its client's still, and the payment is held.
  expect(await node.payment(payment)).not.toBe('settled');
  expect(text(await read(`swap/${swap.id}`), 'status')).toMatch(/^transaction\.(mempool|confirmed)$/);
  expect(whole(swap.reply, 'onchainAmount')).toBe(60_000);
});
