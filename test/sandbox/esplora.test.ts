import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../engine/sandbox/wire/http.ts';
import { createBitcoinPort } from '../../engine/sandbox/ports/bitcoin.ts';
import { PortFailure } from '../../engine/domain/errors.ts';
import { genesis } from '../../engine/sandbox/world/bitcoin/block.ts';
import { type Worlds, openWorlds } from './worlds.ts';

let worlds: Worlds;
let server: HttpServer;

beforeEach(async () => {
  worlds = openWorlds();
  server = await serveEsplora(worlds.bitcoin, 0);
});
afterEach(() => server.stop());

async function get(path: string): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`);
  const text = await response.text();
  return response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : [response.status, text];
}

test('the tip, blocks by hash and height, their headers and pages of them', async () => {
  const { bitcoin } = worlds;
  bitcoin.advance(3_600);
  const tip = bitcoin.tip();
  const previous = bitcoin.at(tip.height - 1);
  expect({
    height: await get('/blocks/tip/height'),
    hash: await get('/blocks/tip/hash'),
    byHeight: await get(`/block-height/${tip.height - 1}`),
    header: await get(`/block/${tip.hash}/header`),
    status: await get(`/block/${previous?.hash}/status`),
    txids: await get(`/block/${tip.hash}/txids`),
    genesis: await get('/block-height/0'),
  }).toEqual({
    height: [200, String(tip.height)],
    hash: [200, tip.hash],
    byHeight: [200, previous?.hash],
    header: [200, Buffer.from(tip.header).toString('hex')],
    status: { in_best_chain: true, height: tip.height - 1, next_best: tip.hash },
    txids: [tip.merkleRoot],
    genesis: [200, genesis.hash],
  });
  expect(await get(`/block/${tip.hash}`)).toMatchObject({ id: tip.hash, height: tip.height, timestamp: tip.time, mediantime: tip.mtp, previousblockhash: previous?.hash, tx_count: 1 });
  const page = (await get('/blocks')) as { height: number }[];
  expect(page.map(({ height }) => height)).toEqual(Array.from({ length: 10 }, (_, i) => tip.height - i));
  expect(((await get('/blocks/4')) as { height: number }[]).map(({ height }) => height)).toEqual([4, 3, 2, 1, 0]);
});

test('addresses are empty, fees are estimated for every target, and unknown things are not found', async () => {
  expect(await get('/address/bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6/utxo')).toEqual([]);
  expect(await get('/fee-estimates')).toMatchObject({ 1: 1, 6: 1, 144: 1, 1008: 1 });
  expect(await get(`/block/${'00'.repeat(32)}`)).toEqual([404, 'Block not found']);
  expect(await get('/block-height/999999')).toEqual([404, 'Block not found']);
  expect(await get('/block-height/x')).toEqual([400, 'Invalid height']);
  expect(await get(`/tx/${'00'.repeat(32)}`)).toEqual([404, 'Transaction not found']);
  expect(await get('/nothing')).toEqual([404, 'Not Found']);
});

test('the clock port in process tells the same tip, and fails when it is told to', async () => {
  const port = createBitcoinPort(worlds.bitcoin);
  const { hash, height, mtp, time } = worlds.bitcoin.tip();
  expect([await port.genesis(), await port.tip()]).toEqual([genesis.hash, { hash, height, mtp, time }]);
  const calls: string[] = [];
  const unlucky = createBitcoinPort(worlds.bitcoin, (call, moment) => {
    calls.push(`${moment} ${call}`);
    if (calls.length === 2) throw new PortFailure('lost', 'safe', 'no answer');
  });
  await expect(unlucky.tip()).rejects.toThrow('no answer');
  expect(calls).toEqual(['before tip', 'after tip']);
});
