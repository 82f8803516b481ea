import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../engine/sandbox/wire/http.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { genesis } from '../../engine/sandbox/world/bitcoin/block.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { parseTx } from '../../engine/sandbox/world/bitcoin/tx.ts';
import { createHash } from 'node:crypto';
import { fund, openChain, pay, walletOf } from './bitcoin-support.ts';
import { type Worlds, openWorlds } from './worlds.ts';
import { anyFailure } from '../support/failure.ts';

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
  expect(await get(`/block/${tip.hash}`)).toMatchObject({
    id: tip.hash,
    height: tip.height,
    timestamp: tip.time,
    mediantime: tip.mtp,
    previousblockhash: previous?.hash,
    tx_count: 1,
  });
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
    if (calls.length === 2) throw anyFailure('lost', 'safe', 'no answer');
  });
  await expect(unlucky.tip()).rejects.toThrow('no answer');
  expect(calls).toEqual(['before tip', 'after tip']);
});

const alice = walletOf('alice');
const bob = walletOf('bob', 'p2tr');

/** A chain old enough for its faucet, behind the server of these tests. */
async function servedChain() {
  await server.stop();
  const chain = openChain();
  server = await serveEsplora(chain, 0);
  return chain;
}

async function post(path: string, body: string): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`, { method: 'POST', body });
  const text = await response.text();
  return response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : [response.status, text];
}

test('a transaction is sent, waits, is mined, and every view of it agrees', async () => {
  const chain = await servedChain();
  const funds = fund(chain, alice.script, 1_000_000n);
  chain.mine(1);
  const mined = chain.tip();
  const bytes = pay({
    from: alice,
    funds: [funds],
    to: [
      { script: bob.script, amount: 900_000n },
      { script: alice.script, amount: 99_000n },
    ],
  });
  const { txid, weight } = parseTx(bytes);
  expect([await post('/tx', toHex(bytes)), await post('/tx', toHex(bytes))]).toEqual([
    [200, txid],
    [200, txid],
  ]);
  const waiting = { confirmed: false };
  expect(await get(`/tx/${txid}`)).toEqual({
    txid,
    version: 2,
    locktime: 0,
    vin: [
      {
        txid: funds.outpoint.txid,
        vout: 0,
        prevout: {
          scriptpubkey: toHex(alice.script),
          scriptpubkey_asm: '',
          scriptpubkey_type: 'v0_p2wpkh',
          scriptpubkey_address: alice.address,
          value: 1_000_000,
        },
        scriptsig: '',
        scriptsig_asm: '',
        witness: [expect.any(String), toHex(alice.key)],
        is_coinbase: false,
        sequence: 0xfffffffd,
      },
    ],
    vout: [
      {
        scriptpubkey: toHex(bob.script),
        scriptpubkey_asm: '',
        scriptpubkey_type: 'v1_p2tr',
        scriptpubkey_address: bob.address,
        value: 900_000,
      },
      {
        scriptpubkey: toHex(alice.script),
        scriptpubkey_asm: '',
        scriptpubkey_type: 'v0_p2wpkh',
        scriptpubkey_address: alice.address,
        value: 99_000,
      },
    ],
    size: bytes.length,
    weight,
    fee: 1_000,
    status: waiting,
  });
  expect([
    await get(`/tx/${txid}/status`),
    await get(`/tx/${txid}/hex`),
    await get(`/tx/${txid}/outspend/0`),
    await get(`/tx/${funds.outpoint.txid}/outspends`),
  ]).toEqual([
    waiting,
    [200, toHex(bytes)],
    { spent: false },
    [{ spent: true, txid, vin: 0, status: waiting }, { spent: false }],
  ]);
  expect([await get('/mempool/txids'), await get('/mempool')]).toEqual([
    [txid],
    {
      count: 1,
      vsize: Math.ceil(weight / 4),
      total_fee: 1_000,
      fee_histogram: [[expect.any(Number), Math.ceil(weight / 4)]],
    },
  ]);
  expect(await get(`/address/${alice.address}/utxo`)).toEqual([{ txid, vout: 1, status: waiting, value: 99_000 }]);
  expect(await get(`/address/${alice.address}`)).toEqual({
    address: alice.address,
    chain_stats: { funded_txo_count: 1, funded_txo_sum: 1_000_000, spent_txo_count: 0, spent_txo_sum: 0, tx_count: 1 },
    mempool_stats: {
      funded_txo_count: 1,
      funded_txo_sum: 99_000,
      spent_txo_count: 1,
      spent_txo_sum: 1_000_000,
      tx_count: 1,
    },
  });

  chain.mine(1);
  const { height, hash, time } = chain.tip();
  const confirmed = { confirmed: true, block_height: height, block_hash: hash, block_time: time };
  expect([
    await get(`/tx/${txid}/status`),
    await get(`/tx/${funds.outpoint.txid}/outspend/0`),
    await get('/mempool/txids'),
  ]).toEqual([confirmed, { spent: true, txid, vin: 0, status: confirmed }, []]);
  const hashOfScript = createHash('sha256').update(bob.script).digest('hex');
  expect(await get(`/scripthash/${hashOfScript}/utxo`)).toEqual([{ txid, vout: 0, status: confirmed, value: 900_000 }]);
  const txids = async (path: string) => ((await get(path)) as { txid: string }[]).map((tx) => tx.txid);
  expect([
    await txids(`/address/${alice.address}/txs`),
    await txids(`/address/${alice.address}/txs/chain/${txid}`),
    await txids(`/address/${alice.address}/txs/mempool`),
    await txids(`/block/${hash}/txs`),
  ]).toEqual([[txid, funds.outpoint.txid], [funds.outpoint.txid], [], [chain.tip().transactions[0]?.txid, txid]]);
  expect([await get(`/block/${hash}/txids`), await get(`/block/${hash}/txid/1`), await get(`/block/${hash}`)]).toEqual([
    [chain.tip().transactions[0]?.txid, txid],
    [200, txid],
    expect.objectContaining({ tx_count: 2 }),
  ]);
  expect(Buffer.from(await (await fetch(`${server.url}/tx/${txid}/raw`)).arrayBuffer()).equals(bytes)).toBe(true);
  chain.reorg(2);
  expect([
    await get(`/block/${hash}/status`),
    await get(`/block/${mined.hash}`),
    await get(`/tx/${txid}/status`),
  ]).toEqual([{ in_best_chain: false }, expect.objectContaining({ id: mined.hash }), waiting]);
});

test('a refusal has the words and the number of the node behind, and a package enters together', async () => {
  const chain = await servedChain();
  const funds = fund(chain, alice.script, 1_000_000n);
  chain.mine(1);
  const refusal = (code: number, message: string) => [
    400,
    `sendrawtransaction RPC error: {"code":${code},"message":"${message}"}`,
  ];
  expect(await post('/tx', toHex(pay({ from: alice, funds: [funds], fee: 10n })))).toEqual(
    refusal(-26, 'min relay fee not met, 10 < 110'),
  );
  expect(
    await post('/tx', toHex(pay({ from: alice, funds: [{ ...funds, outpoint: { txid: 'ab'.repeat(32), vout: 1 } }] }))),
  ).toEqual(refusal(-25, 'bad-txns-inputs-missingorspent'));
  expect(await post('/tx', 'xyz')).toEqual(refusal(-22, 'TX decode failed. Make sure the tx has at least one input.'));
  const parent = pay({ from: alice, funds: [funds], version: 3, fee: 0n });
  const child = pay({
    from: alice,
    funds: [{ outpoint: { txid: parseTx(parent).txid, vout: 0 }, amount: 1_000_000n }],
    version: 3,
  });
  expect(await post('/txs/package', JSON.stringify([toHex(child), toHex(parent)]))).toEqual(
    refusal(-26, 'package-not-sorted'),
  );
  expect(await post('/txs/package', JSON.stringify([parent, child].map(toHex)))).toMatchObject({
    package_msg: 'success',
  });
  expect(await get('/mempool/txids')).toEqual([parent, child].map((bytes) => parseTx(bytes).txid));
  expect([
    await post('/nothing', ''),
    await get('/address/bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4/utxo'),
    await post('/txs/package', '{}'),
  ]).toEqual([
    [404, 'Not Found'],
    [400, 'Invalid Bitcoin address'],
    [400, 'Invalid package: a JSON list of transactions in hex'],
  ]);
  chain.setFeeRate(9);
  expect(await get('/fee-estimates')).toMatchObject({ 1: 9, 1008: 9 });
});

test('the port in process says what a broadcast came to, and what time can heal', async () => {
  const chain = openChain();
  const port = createBitcoinPort(chain);
  const funds = fund(chain, alice.script, 1_000_000n);
  expect(await port.coins([alice.script, bob.script])).toEqual([
    { outpoint: funds.outpoint, script: alice.script, amount: 1_000_000n, height: null },
  ]);
  chain.mine(1);
  const { height } = chain.tip();
  const spend = pay({ from: alice, funds: [funds], sequence: 0xfffffffe });
  const answers = [
    await port.broadcast(Uint8Array.of(1)),
    await port.broadcast(pay({ from: alice, funds: [funds], locktime: height + 1 })),
    await port.broadcast(pay({ from: alice, funds: [funds], sequence: 50 })),
    await port.broadcast(pay({ from: alice, funds: [funds], fee: 1n })),
    await port.broadcast(pay({ from: alice, funds: [{ ...funds, outpoint: { txid: 'ab'.repeat(32), vout: 0 } }] })),
    await port.broadcast(pay({ from: alice, funds: [{ ...funds, amount: 999_999n }] })),
    await port.broadcast(spend),
    await port.broadcast(spend),
    await port.broadcast(pay({ from: alice, funds: [funds], fee: 1_050n })),
  ];
  expect(answers.map(({ is }) => is)).toEqual([
    'refused',
    'later',
    'later',
    'later',
    'later',
    'refused',
    'accepted',
    'accepted',
    'spent',
  ]);
  const { txid } = parseTx(spend);
  expect([
    await port.transaction(txid),
    await port.spend(funds.outpoint),
    await port.coins([alice.script]),
  ]).toMatchObject([{ bytes: spend, height: null }, { txid, height: null }, [{ outpoint: { txid, vout: 0 } }]]);
  chain.mine(1);
  const rival = await port.broadcast(pay({ from: alice, funds: [funds], fee: 9_000n }));
  expect([
    rival.is,
    await port.broadcast(spend),
    await port.spend(funds.outpoint),
    await port.transaction('ab'.repeat(32)),
  ]).toEqual(['spent', { is: 'accepted' }, { txid, height: height + 1 }, null]);
  chain.setFeeRate(12);
  expect([await port.feeRate(1), await port.feeRate(100)]).toEqual([12, 12]);
});

/** What a wallet makes of a `merkleblock`, by BIP-37's own recipe: the root, and the ids that it proves. */
function readMerkleBlock(bytes: Buffer): { root: string; ids: string[]; count: number } {
  const count = bytes.readUInt32LE(80);
  const hashCount = bytes[84] ?? 0;
  const hashes = Array.from({ length: hashCount }, (_, i) => bytes.subarray(85 + 32 * i, 117 + 32 * i));
  const flags = bytes.subarray(86 + 32 * hashCount);
  expect(flags).toHaveLength(bytes[85 + 32 * hashCount] ?? 0);
  const ids: string[] = [];
  let [bit, used] = [0, 0];
  const width = (height: number) => (count + (1 << height) - 1) >> height;
  const twice = (data: Buffer) => createHash('sha256').update(createHash('sha256').update(data).digest()).digest();
  const next = () => hashes[used++] ?? Buffer.alloc(32);
  function walk(height: number, position: number): Buffer {
    const flag = (((flags[bit >> 3] ?? 0) >> (bit++ & 7)) & 1) === 1;
    if (height === 0 || !flag) {
      const hash = next();
      if (height === 0 && flag) ids.push(Buffer.from(hash).reverse().toString('hex'));
      return hash;
    }
    const left = walk(height - 1, 2 * position);
    const right = 2 * position + 1 < width(height - 1) ? walk(height - 1, 2 * position + 1) : left;
    return twice(Buffer.concat([left, right]));
  }
  let top = 0;
  while (width(top) > 1) top += 1;
  const root = walk(top, 0).reverse().toString('hex');
  expect([used, Math.ceil(bit / 8)]).toEqual([hashCount, flags.length]);
  return { root, ids, count };
}

test.each([1, 2, 3, 4, 5, 8, 9])('each of %i transactions of a block is proven by a merkle block', async (size) => {
  const chain = await servedChain();
  const funds = Array.from({ length: size - 1 }, () => fund(chain, alice.script, 100_000n));
  chain.mine(1);
  for (const one of funds) chain.submit(pay({ from: alice, funds: [one] }));
  chain.mine(1);
  const { header, transactions, merkleRoot } = chain.tip();
  expect(transactions).toHaveLength(size);
  for (const { txid } of transactions) {
    const [status, text] = (await get(`/tx/${txid}/merkleblock-proof`)) as [number, string];
    const bytes = Buffer.from(text, 'hex');
    expect([status, bytes.subarray(0, 80).equals(header), readMerkleBlock(bytes)]).toEqual([
      200,
      true,
      { root: merkleRoot, ids: [txid], count: size },
    ]);
  }
});
