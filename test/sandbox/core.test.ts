import { afterEach, beforeEach, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { type CoreOptions, serveCore } from '../../engine/sandbox/wire/core.ts';
import type { HttpServer } from '../../engine/sandbox/wire/http.ts';
import { genesis } from '../../engine/sandbox/world/bitcoin/block.ts';
import type { BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { parseTx } from '../../engine/sandbox/world/bitcoin/tx.ts';
import { fund, openChain, pay, walletOf } from './bitcoin-support.ts';

const alice = walletOf('alice');
const bob = walletOf('bob', 'p2tr');
const million = 1_000_000n;
const access = { user: 'me', password: 'secret' };

let chain: BitcoinWorld;
let servers: HttpServer[];

beforeEach(() => {
  chain = openChain();
  servers = [];
});
afterEach(() => Promise.all(servers.map((server) => server.stop())));

interface Reply {
  readonly status: number;
  readonly result?: unknown;
  readonly error?: { code: number; message: string } | null;
}

async function serve(
  options: Partial<CoreOptions> = {},
): Promise<(method: string, ...params: unknown[]) => Promise<Reply>> {
  const server = await serveCore({ world: chain, port: 0, ...access, ...options });
  servers.push(server);
  return async (method, ...params) => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('me:secret')}` },
      body: JSON.stringify({ jsonrpc: '1.0', id: 7, method, params }),
    });
    const { id, ...rest } = (await response.json()) as { id: number } & Omit<Reply, 'status'>;
    expect(id).toBe(7);
    return { status: response.status, ...rest };
  };
}

const good = (result: unknown): Reply => ({ status: 200, result, error: null });
const bad = (code: number, message: unknown, status = 500): Reply => ({
  status,
  result: null,
  error: { code, message: message as string },
});

test('blocks by height and hash, verbose and raw, on the chain and beside it', async () => {
  const call = await serve();
  const lost = chain.tip();
  chain.reorg(1);
  chain.mine(1);
  const [tip, before] = [chain.tip(), chain.at(chain.tip().height - 1)];
  expect([
    await call('getblockcount'),
    await call('getbestblockhash'),
    await call('getblockhash', 0),
    await call('getblockhash', 500),
  ]).toEqual([good(tip.height), good(tip.hash), good(genesis.hash), bad(-8, 'Block height out of range')]);
  expect(await call('getblockchaininfo')).toEqual(
    good(
      expect.objectContaining({
        chain: 'regtest',
        blocks: tip.height,
        headers: tip.height,
        bestblockhash: tip.hash,
        mediantime: tip.mtp,
        initialblockdownload: false,
      }),
    ),
  );
  const json = {
    hash: before?.hash,
    confirmations: 2,
    height: before?.height,
    mediantime: before?.mtp,
    time: before?.time,
    merkleroot: before?.merkleRoot,
    previousblockhash: before?.previous,
    nextblockhash: tip.hash,
    nTx: 1,
  };
  expect(await call('getblockheader', before?.hash)).toEqual(good(expect.objectContaining(json)));
  expect(await call('getblockheader', lost.hash)).toEqual(
    good(expect.objectContaining({ hash: lost.hash, confirmations: -1, height: lost.height })),
  );
  expect((await call('getblockheader', lost.hash)).result as object).not.toHaveProperty('nextblockhash');
  expect(await call('getblockheader', tip.hash, false)).toEqual(good(toHex(tip.header)));
  expect(await call('getblockheader', '00'.repeat(32))).toEqual(bad(-5, 'Block not found'));
  const txid = tip.transactions[0]?.txid;
  expect(await call('getblock', tip.hash)).toEqual(good(expect.objectContaining({ tx: [txid], nTx: 1 })));
  expect(await call('getblock', tip.hash, 2)).toEqual(
    good(expect.objectContaining({ tx: [expect.objectContaining({ txid })] })),
  );
  expect((await call('getblock', tip.hash, 0)).result).toBe(
    `${toHex(tip.header)}01${toHex(tip.transactions[0]?.bytes ?? new Uint8Array())}`,
  );
});

test('a transaction from the mempool into a block, as each call tells it', async () => {
  const [call, bare] = [await serve(), await serve({ txindex: false })];
  const funds = fund(chain, alice.script, million);
  chain.mine(1);
  const bytes = pay({ from: alice, funds: [funds], to: [{ script: bob.script, amount: 999_000n }] });
  const [{ txid, wtxid, vsize }, hex] = [parseTx(bytes), toHex(bytes)];
  expect(await call('testmempoolaccept', [hex])).toEqual(
    good([
      {
        txid,
        wtxid,
        allowed: true,
        vsize,
        fees: { base: 0.00001, 'effective-feerate': expect.closeTo(0.0000819, 6), 'effective-includes': [wtxid] },
      },
    ]),
  );
  expect(await call('getrawtransaction', txid)).toEqual(
    bad(-5, 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.'),
  );
  expect([
    await call('sendrawtransaction', hex),
    await call('sendrawtransaction', hex),
    await call('getrawmempool'),
  ]).toEqual([good(txid), good(txid), good([txid])]);
  expect(await call('testmempoolaccept', [hex])).toMatchObject({
    result: [{ txid, allowed: false, 'reject-reason': 'txn-already-in-mempool' }],
  });
  expect(await call('getrawmempool', true)).toMatchObject({
    result: { [txid]: { vsize, fees: { base: 0.00001 }, depends: [], spentby: [] } },
  });
  expect(await call('getrawtransaction', txid)).toEqual(good(hex));
  const verbose = (await call('getrawtransaction', txid, true)).result as Record<string, unknown>;
  expect(verbose).toMatchObject({
    txid,
    hash: wtxid,
    hex,
    vin: [{ txid: funds.outpoint.txid, vout: funds.outpoint.vout, sequence: 0xfffffffd }],
    vout: [
      {
        value: 0.00999,
        n: 0,
        scriptPubKey: { hex: toHex(bob.script), address: bob.address, type: 'witness_v1_taproot' },
      },
    ],
  });
  expect(verbose).not.toHaveProperty('confirmations');
  expect([
    await call('gettxout', funds.outpoint.txid, funds.outpoint.vout),
    await call('gettxout', funds.outpoint.txid, funds.outpoint.vout, false),
    await call('gettxout', txid, 0, false),
  ]).toEqual([good(null), good(expect.objectContaining({ value: 0.01, confirmations: 1 })), good(null)]);
  expect(await call('gettxspendingprevout', [funds.outpoint, { txid, vout: 0 }])).toEqual(
    good([
      { ...funds.outpoint, spendingtxid: txid },
      { txid, vout: 0 },
    ]),
  );

  chain.mine(1);
  expect(await call('getrawtransaction', txid, 1)).toMatchObject({
    result: { blockhash: chain.tip().hash, confirmations: 1 },
  });
  expect([
    await bare('getrawtransaction', txid),
    await bare('getrawtransaction', txid, false, chain.tip().hash),
  ]).toEqual([bad(-5, expect.stringContaining('Use -txindex or provide a block hash')), good(hex)]);
  expect(await call('gettxspendingprevout', [funds.outpoint])).toEqual(good([{ ...funds.outpoint }]));
  expect(await call('sendrawtransaction', hex)).toEqual(bad(-27, 'Transaction outputs already in utxo set'));
  expect(await call('testmempoolaccept', [hex])).toMatchObject({
    result: [{ allowed: false, 'reject-reason': 'txn-already-known' }],
  });
  expect(
    await call('scantxoutset', 'start', [`raw(${toHex(bob.script)})`, { desc: `addr(${alice.address})#12345678` }]),
  ).toEqual(
    good(
      expect.objectContaining({
        success: true,
        height: chain.tip().height,
        bestblock: chain.tip().hash,
        total_amount: 0.00999,
        unspents: [
          expect.objectContaining({
            txid,
            vout: 0,
            amount: 0.00999,
            height: chain.tip().height,
            coinbase: false,
            scriptPubKey: toHex(bob.script),
          }),
        ],
      }),
    ),
  );
});

test('refusals have the numbers and words of Core, with its HTTP status or with none', async () => {
  const [call, soft] = [await serve(), await serve({ errorsAreOk: true })];
  const [funds, rich] = [fund(chain, alice.script, million), fund(chain, alice.script, 9n * million)];
  chain.mine(1);
  const early = toHex(pay({ from: alice, funds: [funds], locktime: chain.tip().height + 1 }));
  const unknown = toHex(
    pay({ from: alice, funds: [{ outpoint: { txid: 'ab'.repeat(32), vout: 0 }, amount: million }] }),
  );
  const dear = toHex(pay({ from: alice, funds: [rich], fee: 2_000_000n }));
  const burn = toHex(
    pay({ from: alice, funds: [funds], to: [{ script: Uint8Array.of(0x6a), amount: 1_000n }], fee: 0n }),
  );
  expect(await call('sendrawtransaction', early)).toEqual(bad(-26, 'non-final'));
  expect(await soft('sendrawtransaction', early)).toEqual(bad(-26, 'non-final', 200));
  expect(await call('sendrawtransaction', unknown)).toEqual(bad(-25, 'bad-txns-inputs-missingorspent'));
  expect(await call('testmempoolaccept', [unknown, early])).toMatchObject({
    result: [{ 'reject-reason': 'missing-inputs' }, { 'reject-reason': 'non-final' }],
  });
  expect(await call('sendrawtransaction', dear)).toEqual(
    bad(-25, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)'),
  );
  expect(await call('testmempoolaccept', [dear])).toMatchObject({ result: [{ 'reject-reason': 'max-fee-exceeded' }] });
  expect(await call('sendrawtransaction', burn)).toEqual(
    bad(-25, 'Unspendable output exceeds maximum configured by user (maxburnamount)'),
  );
  expect(await call('sendrawtransaction', 'nonsense')).toEqual(
    bad(-22, 'TX decode failed. Make sure the tx has at least one input.'),
  );
  expect(chain.mempool()).toEqual([]);
  expect(await call('sendrawtransaction', dear, 0)).toMatchObject({ status: 200 });
  expect(await call('getwalletinfo')).toEqual(bad(-32601, 'Method not found', 404));
  expect(await call('getblockhash', 'one')).toEqual(
    bad(-3, 'JSON value of type string is not of expected type number'),
  );
  expect(await call('getblockhash')).toEqual(bad(-1, 'getblockhash: parameter 1 is missing'));
  expect(await call('getblockheader', 'beef')).toEqual(bad(-8, "blockhash must be of length 64 (not 4, for 'beef')"));
  expect(await call('toString')).toEqual(bad(-32601, 'Method not found', 404));
});

test('a package enters together, and blocks are mined to an address', async () => {
  const call = await serve();
  const funds = fund(chain, alice.script, million);
  chain.mine(1);
  const parent = pay({ from: alice, funds: [funds], version: 3, fee: 0n });
  const child = pay({
    from: alice,
    funds: [{ outpoint: { txid: parseTx(parent).txid, vout: 0 }, amount: million }],
    version: 3,
    fee: 1_000n,
  });
  expect(await call('sendrawtransaction', toHex(parent))).toEqual(bad(-26, 'min relay fee not met, 0 < 110'));
  const [one, two] = [parseTx(parent), parseTx(child)];
  expect(await call('submitpackage', [toHex(parent), toHex(child)])).toEqual(
    good({
      package_msg: 'success',
      'tx-results': {
        [one.wtxid]: { txid: one.txid, vsize: one.vsize, fees: { base: 0 } },
        [two.wtxid]: { txid: two.txid, vsize: two.vsize, fees: { base: 0.00001 } },
      },
      'replaced-transactions': [],
    }),
  );
  const { result: hashes } = await call('generatetoaddress', 2, bob.address);
  expect(hashes).toEqual([chain.at(chain.tip().height - 1)?.hash, chain.tip().hash]);
  expect(chain.tip().transactions[0]?.outputs[0]?.script).toEqual(bob.script);
  expect(chain.transaction(two.txid)?.height).toBe(chain.tip().height - 1);
  expect(await call('generatetoaddress', 1, 'bc1qnonsense')).toEqual(bad(-5, 'Error: Invalid address'));
});

test('fees follow the rate, and the node says what it is', async () => {
  const call = await serve();
  chain.setFeeRate(7);
  expect([await call('estimatesmartfee', 2), await call('estimatesmartfee', 0)]).toEqual([
    good({ feerate: 0.00007, blocks: 2 }),
    bad(-8, 'Invalid conf_target, must be between 1 and 1008'),
  ]);
  expect(await call('getmempoolinfo')).toMatchObject({
    result: { size: 0, mempoolminfee: 0.00001, minrelaytxfee: 0.00001 },
  });
  expect(await call('getnetworkinfo')).toMatchObject({ result: { version: 290000, relayfee: 0.00001 } });
  expect(await call('getindexinfo')).toMatchObject({ result: { txindex: { synced: true } } });
});

test('nobody gets in without user and password, and a batch is answered in its order', async () => {
  await serve();
  const url = servers[0]?.url ?? '';
  const post = (authorization: string | null, body: unknown) =>
    fetch(url, {
      method: 'POST',
      ...(authorization === null ? {} : { headers: { authorization } }),
      body: JSON.stringify(body),
    });
  const right = `Basic ${btoa('me:secret')}`;
  expect(
    (
      await Promise.all(
        [null, `Basic ${btoa('me:wrong')}`, 'Bearer secret'].map((header) => post(header, { method: 'getblockcount' })),
      )
    ).map(({ status }) => status),
  ).toEqual([401, 401, 401]);
  const batch = await post(right, [
    { id: 1, method: 'getblockcount' },
    { id: 2, method: 'nothing' },
    { id: 3, method: 'getbestblockhash' },
  ]);
  expect([batch.status, await batch.json()]).toEqual([
    200,
    [
      { id: 1, result: 101, error: null },
      { id: 2, result: null, error: { code: -32601, message: 'Method not found' } },
      { id: 3, result: chain.tip().hash, error: null },
    ],
  ]);
  expect([
    (await post(right, { id: 1 })).status,
    (await fetch(url, { headers: { authorization: right } })).status,
  ]).toEqual([400, 405]);
});
