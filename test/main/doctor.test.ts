import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { mnemonicToSeed } from '@scure/bip39';
import { sealCredential } from '../../engine/connections/credentials.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { ownContracts } from '../../engine/adapters/evm/contracts.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { bakeCommand, neededPermissions } from '../../engine/adapters/lnd/permissions.ts';
import { runSandbox, type Sandbox } from '../../engine/sandbox/process.ts';
import { makeCertificate } from '../../engine/sandbox/wire/lnd/certificate.ts';
import { bakeMacaroon } from '../../engine/sandbox/wire/lnd/macaroon.ts';
import { bindNetwork, openDatabase } from '../../engine/store/open.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { doctorRows, type DoctorRow } from '../../main/doctor.ts';
import { sealSeed } from '../../main/keyfile.ts';
import { seedPath, wordsOf } from '../../main/seed.ts';
import { servePlain, type PlainReply, type PlainRequest, type PlainServer } from './support/plain-server.ts';

type Json = { [name: string]: unknown };

const regtestGenesis = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const mainnetGenesis = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const tip = '5e'.repeat(32);
const rights = Object.keys(neededPermissions).map((call) => `uri:${call}`);
const canary = 'canary-password-7f3a';

let home: string;
let sandbox: Sandbox;
let operatorInfo: Json;
let folder: string;
const servers: PlainServer[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sluice-doctor-world-'));
  const started = await runSandbox({ dataDir: home, port: 0 });
  if (isRefusal(started)) throw new Error(started.sentence);
  sandbox = started;
  operatorInfo = (await (await fetch(`${sandbox.endpoints.arkade.url}/v1/info`)).json()) as Json;
});

afterAll(async () => {
  await sandbox.stop();
  rmSync(home, { recursive: true, force: true });
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-doctor-'));
  const { lnd } = sandbox.endpoints;
  secret('tls.cert', Buffer.from(lnd.cert, 'base64'));
  secret('sluice.macaroon', Buffer.from(lnd.macaroon, 'hex'));
  secret('user', 'sluice\n');
  secret('password', `${canary}\n`);
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

function secret(name: string, content: string | Uint8Array, mode = 0o600): void {
  writeFileSync(join(folder, name), content);
  chmodSync(join(folder, name), mode);
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

/** A configuration in which everything is as it should be, with what a test breaks laid over it. */
function configuration(broken: Json = {}): string {
  const { lnd, bitcoin, arkade } = sandbox.endpoints;
  const good = {
    network: 'regtest',
    dataDir: 'data',
    lnd: { socket: lnd.socket, certFile: 'tls.cert', macaroonFile: 'sluice.macaroon' },
    bitcoin: { esplora: [bitcoin?.esploraUrl] },
    arkade: { url: arkade.url, maxExposureSats: 1_000_000 },
  };
  const file = join(folder, 'sluice.json');
  writeFileSync(file, JSON.stringify({ ...good, ...broken }));
  return file;
}

async function rowsOf(
  broken: Json,
  environment: Record<string, string> = {},
  patience = 10_000,
): Promise<readonly DoctorRow[]> {
  return doctorRows({ config: configuration(broken), dataDir: null, passphraseFile: null }, environment, patience);
}

/**
 * Everything that did not pass, as the owner reads it. A machine that is busy with other tests is slow: that has its
 * own test.
 */
async function complaints(
  broken: Json,
  environment: Record<string, string> = {},
  patience = 10_000,
): Promise<string[]> {
  const rows = await rowsOf(broken, environment, patience);
  return rows.filter(({ result, check }) => result !== 'pass' && check !== 'latency').map(asText);
}

function asText({ network, check, result, sentence }: DoctorRow): string {
  return `${result} ${network} ${check}: ${sentence}`;
}

function lndWith(change: Json): Json {
  return {
    lnd: { socket: sandbox.endpoints.lnd.socket, certFile: 'tls.cert', macaroonFile: 'sluice.macaroon', ...change },
  };
}

async function server(answer: (request: PlainRequest) => PlainReply | null): Promise<string> {
  const started = await servePlain(answer);
  servers.push(started);
  return started.url;
}

/** A node with Core's JSON-RPC that is well, but for what a test says. */
function coreServer(
  change: {
    chain?: Json;
    genesis?: string;
    tipTime?: number;
    reply?: (request: PlainRequest) => PlainReply | undefined;
  } = {},
): Promise<string> {
  return server((request) => {
    const { id, method } = request.body as { id: unknown; method: string };
    const results: Json = {
      getblockchaininfo: {
        chain: 'regtest',
        blocks: 101,
        headers: 101,
        bestblockhash: tip,
        initialblockdownload: false,
        pruned: false,
        ...change.chain,
      },
      getblockhash: change.genesis ?? regtestGenesis,
      getblockheader: { hash: tip, height: 101, time: change.tipTime ?? now() },
      getnetworkinfo: { subversion: '/Satoshi:29.0.0/' },
      getconnectioncount: 8,
    };
    if (request.authorization !== `Basic ${Buffer.from(`sluice:${canary}`).toString('base64')}`)
      return { status: 401, body: '' };
    return (
      change.reply?.(request) ?? {
        body:
          method in results
            ? { id, result: results[method], error: null }
            : { id, result: null, error: { code: -32601, message: 'Method not found' } },
      }
    );
  });
}

function withCore(url: string, change: Json = {}): Json {
  return { bitcoin: { core: { url, userFile: 'user', passwordFile: 'password', ...change } } };
}

function esploraServer(
  change: { genesis?: string; height?: number; time?: number; reply?: Partial<PlainReply> } = {},
): Promise<string> {
  return server(({ path }) => ({
    body:
      path === '/blocks'
        ? [{ id: tip, height: change.height ?? 101, timestamp: change.time ?? now() }]
        : (change.genesis ?? regtestGenesis),
    ...change.reply,
  }));
}

function operatorServer(change: Json, reply: Partial<PlainReply> = {}): Promise<string> {
  return server(() => ({ body: { ...operatorInfo, ...change }, ...reply }));
}

function evmServer(
  change: { chainId?: string; height?: number; time?: number; syncing?: unknown } = {},
): Promise<string> {
  const contracts = ownContracts(Number(change.chainId ?? '0x89'));
  return server(({ body }) => {
    const { method, params } = body as { method: string; params: [unknown] };
    const at = (address: unknown) => contracts.find((one) => `0x${toHex(one.address)}` === address);
    const { to, data } = (params[0] ?? {}) as { to?: string; data?: string };
    const results: Json = {
      eth_getCode: at(params[0])?.artifact.runtime ?? '0x',
      eth_call: at(to)?.expectations.find((one) => one.data === data)?.answer ?? '0x',
      eth_chainId: change.chainId ?? '0x89',
      eth_getBlockByNumber: {
        number: `0x${(change.height ?? 1_000).toString(16)}`,
        timestamp: `0x${(change.time ?? now()).toString(16)}`,
      },
      eth_syncing: change.syncing ?? false,
      web3_clientVersion: 'bor/v2.0.0',
    };
    return { body: { jsonrpc: '2.0', id: 1, result: results[method] } };
  });
}

const portOf = (url: string) => url.slice('http://'.length);
/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { port: number };
  await new Promise((resolve) => listener.close(resolve));
  return port;
}

test('where everything is as it should be, everything passes, also beside a node that runs on the folder', async () => {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const db = openDatabase(data);
  bindNetwork(db, 'regtest');
  const rows = await rowsOf({});
  db.close();
  expect(rows.find(({ check }) => check === 'database')?.sentence).toMatch(
    /^The database is whole \(schema \d+, 0 open swaps\)\.$/,
  );
  expect(rows.filter(({ result, check }) => result !== 'pass' && check !== 'latency')).toEqual([]);
  expect([...new Set(rows.map(({ network }) => network))]).toEqual(['node', 'bitcoin', 'lightning', 'arkade']);
});

test('macaroons of another node, with too few or too many rights, and none at all are told apart', async () => {
  const { socket } = sandbox.endpoints.lnd;
  const bake = (name: string, list: readonly string[]) => secret(name, bakeMacaroon(new Uint8Array(32).fill(9), list));
  bake('other', rights);
  bake(
    'little',
    rights.filter((right) => !right.endsWith('/SendPaymentV2')),
  );
  bake(
    'blind',
    rights.filter((right) => !right.endsWith('/ListPayments')),
  );
  bake('much', [...rights, 'onchain:write']);
  secret('none', 'not a macaroon');
  const lines = [];
  for (const name of ['other', 'little', 'blind', 'much', 'none'])
    lines.push(...(await complaints(lndWith({ macaroonFile: name }))));
  const refused =
    `fail lightning connection: The Lightning node at ${socket} refuses our credentials (it was made by another ` +
    'node, or was revoked): put the right ones into the file of lnd.macaroonFile.';
  expect(lines).toEqual([
    refused,
    `fail lightning macaroon: The macaroon for the Lightning node at ${socket} lacks the right to ` +
      `/routerrpc.Router/SendPaymentV2: replace it by what "${bakeCommand}" makes.`,
    `warn lightning macaroon: The macaroon for the Lightning node at ${socket} lacks the right to ` +
      '/lnrpc.Lightning/ListPayments, so the books are not compared with all that it holds: replace it by what ' +
      `"${bakeCommand}" makes.`,
    refused,
    `warn lightning macaroon: The macaroon for the Lightning node at ${socket} may do more than this node needs ` +
      `(onchain:write): whoever steals it may too, so replace it by what "${bakeCommand}" makes.`,
    refused,
    'fail lightning macaroon: The file of lnd.macaroonFile holds no macaroon that lnd bakes: copy the one that ' +
      `"${bakeCommand}" makes.`,
  ]);
});

test('another certificate, one for another host and a file that holds none each have their sentence', async () => {
  const { socket } = sandbox.endpoints.lnd;
  secret('other.cert', makeCertificate().cert);
  secret('none.cert', 'PEM?');
  const [port] = socket.split(':').slice(-1);
  expect(await complaints(lndWith({ certFile: 'other.cert' }))).toEqual([
    expect.stringMatching(
      new RegExp(
        `^fail lightning connection: The Lightning node at ${socket} shows another TLS certificate than the one ` +
          'it should \\(.*\\): copy its present certificate to the file of lnd.certFile\\.$',
      ),
    ),
  ]);
  expect((await complaints(lndWith({ socket: `127.0.0.2:${port}` })))[0]).toBe(
    'fail node certificate: The certificate of lnd.certFile is made for DNS:localhost, IP Address:127.0.0.1, not ' +
      'for 127.0.0.2: connect by one of those names, or let the endpoint make one for 127.0.0.2 (lnd: tlsextraip or ' +
      'tlsextradomain).',
  );
  expect((await complaints(lndWith({ certFile: 'none.cert' })))[0]).toBe(
    'fail node certificate: The file of lnd.certFile holds no certificate: copy the one that the endpoint uses ' +
      '(PEM text).',
  );
});

test('where nothing listens, each endpoint is named with its setting', async () => {
  const port = await closedPort();
  const url = `http://127.0.0.1:${port}`;
  const sentence = (endpoint: string, setting: string) =>
    `The ${endpoint} at 127.0.0.1:${port} does not answer, nothing listens there: start it, or correct ${setting}.`;
  expect(
    await complaints({
      ...lndWith({ socket: `127.0.0.1:${port}` }),
      bitcoin: { core: { url, userFile: 'user', passwordFile: 'password' }, esplora: [url] },
      arkade: { url, maxExposureSats: 1 },
      evm: { 137: { rpc: [url, url] } },
    }),
  ).toEqual([
    `fail bitcoin connection: ${sentence('Bitcoin node', 'bitcoin.core.url')}`,
    `fail bitcoin connection: ${sentence('Esplora server', 'bitcoin.esplora (entry 1)')}`,
    `fail lightning connection: ${sentence('Lightning node', 'lnd.socket')}`,
    `fail arkade connection: ${sentence('Arkade operator', 'arkade.url')}`,
    `fail evm:137 connection: ${sentence('RPC', 'evm.137.rpc (entry 1)')}`,
    `fail evm:137 connection: ${sentence('RPC', 'evm.137.rpc (entry 2)')}`,
  ]);
});

test('an endpoint of another network is named with both networks, for every kind', async () => {
  const both = (endpoint: string, theirs: string, ours: string) =>
    `${endpoint} is on ${theirs}, this node is on ${ours}: connect one of ${ours}, or give ${theirs} a data ` +
    'folder of its own.';
  const { lnd, bitcoin, arkade } = sandbox.endpoints;
  const core = await coreServer({ genesis: mainnetGenesis });
  const evm = await evmServer({ chainId: '0x1' });
  const rpc = await evmServer();
  expect(await complaints({ network: 'signet' })).toEqual([
    `fail bitcoin network: ${both(`The Esplora server at ${portOf(bitcoin?.esploraUrl ?? '')}`, 'regtest', 'signet')}`,
    `fail lightning network: ${both(`The Lightning node at ${lnd.socket}`, 'regtest', 'signet')}`,
    `fail arkade network: ${both(`The Arkade operator at ${portOf(arkade.url)}`, 'regtest', 'signet')}`,
  ]);
  expect(await complaints({ ...withCore(core), evm: { 137: { rpc: [evm, rpc] } } })).toEqual([
    `fail bitcoin network: ${both(`The Bitcoin node at ${portOf(core)}`, 'mainnet', 'regtest')}`,
    `fail evm:137 network: ${both(`The RPC at ${portOf(evm)}`, 'Ethereum (chain 1)', 'Polygon (chain 137)')}`,
  ]);
});

test('a Bitcoin node that forbids, or has too many calls waiting, is told by what to change there', async () => {
  const needed = ['scantxoutset', 'sendrawtransaction', 'submitpackage'];
  const without = (methods: readonly string[]) =>
    coreServer({
      reply: ({ body }) =>
        methods.includes((body as { method: string }).method) ? { status: 403, body: '' } : undefined,
    });
  // Of these it needs none: btcd tells its version by one, and Core by another.
  const spare = await without(['getinfo', 'getnetworkinfo', 'getconnectioncount']);
  const some = await without(['getinfo', ...needed]);
  const all = await coreServer({ reply: () => ({ status: 403, body: '' }) });
  const busy = await coreServer({ reply: () => ({ status: 503, body: 'Work queue depth exceeded' }) });
  const at = (url: string) => `The Bitcoin node at ${portOf(url)}`;
  expect({
    spare: await complaints(withCore(spare)),
    some: await complaints(withCore(some)),
    all: await complaints(withCore(all)),
    busy: await complaints(withCore(busy)),
  }).toEqual({
    spare: [],
    some: [
      `fail bitcoin methods: ${at(some)} does not let this user call ${needed.join(', ')}: name them in its ` +
        'rpcwhitelist, or leave that out.',
    ],
    all: [
      `fail bitcoin connection: ${at(all)} does not let this machine or this user call it (it answered 403 to ` +
        'getblockchaininfo): look at its rpcallowip and its rpcwhitelist.',
    ],
    busy: [
      `fail bitcoin connection: ${at(busy)} has more calls waiting than it takes (Work queue depth exceeded): ` +
        'raise its rpcworkqueue, or have other programs ask it less.',
    ],
  });
});

test('a wrong RPC password, a node that starts and one that is no node are told apart', async () => {
  const core = await coreServer();
  const starting = await coreServer({
    reply: () => ({ status: 500, body: { result: null, error: { code: -28, message: 'Loading block index...' } } }),
  });
  const other = await coreServer({ reply: () => ({ body: '<html>' }) });
  secret('wrong', 'guess');
  expect(await complaints(withCore(core, { passwordFile: 'wrong' }))).toEqual([
    `fail bitcoin connection: The Bitcoin node at ${portOf(core)} refuses our credentials (it answered 401): put ` +
      'the right ones into the file of bitcoin.core.cookieFile, or bitcoin.core.userFile and ' +
      'bitcoin.core.passwordFile.',
  ]);
  expect(await complaints(withCore(starting))).toEqual([
    `fail bitcoin connection: The Bitcoin node at ${portOf(starting)} is still starting (Loading block index...): ` +
      'wait until it is ready, or unlock its wallet.',
  ]);
  expect(await complaints(withCore(other))).toEqual([
    `fail bitcoin connection: The Bitcoin node at ${portOf(other)} does not answer as it should (it answered 200 ` +
      'without a JSON object): correct bitcoin.core.url, or update it.',
  ]);
});

test('an Esplora that is none, an operator that is none and an RPC that is none are named', async () => {
  const page = await server(() => ({ body: '<html>Welcome to nginx!</html>' }));
  expect(
    await complaints({
      bitcoin: { esplora: [page] },
      arkade: { url: page, maxExposureSats: 1 },
      evm: { 137: { rpc: [page, page] } },
    }),
  ).toEqual([
    `fail bitcoin connection: The Esplora server at ${portOf(page)} does not answer as it should (it answered 200 ` +
      'to /block-height/0, and no block hash): correct bitcoin.esplora (entry 1), or update it.',
    `fail arkade connection: The Arkade operator at ${portOf(page)} does not answer as it should (it answered 200 ` +
      'without a JSON object): correct arkade.url, or update it.',
    ...[1, 2].map(
      (entry) =>
        `fail evm:137 connection: The RPC at ${portOf(page)} does not answer as it should (it answered 200 ` +
        `without a JSON object): correct evm.137.rpc (entry ${entry}), or update it.`,
    ),
  ]);
});

test('an endpoint that speaks plain HTTP behind https:// is named as that, in one line, for every kind', async () => {
  const plain = await server(() => ({ body: {} }));
  const url = plain.replace('http:', 'https:');
  const sentence = (endpoint: string, setting: string) =>
    `The ${endpoint} at ${portOf(plain)} answers in plain HTTP where TLS is expected: write http:// in ` +
    `${setting}, or let it serve TLS.`;
  expect(
    await complaints({
      ...lndWith({ socket: portOf(plain) }),
      bitcoin: { core: { url, userFile: 'user', passwordFile: 'password' }, esplora: [url] },
      arkade: { url, maxExposureSats: 1 },
      evm: { 137: { rpc: [url, url] } },
    }),
  ).toEqual([
    `fail bitcoin connection: ${sentence('Bitcoin node', 'bitcoin.core.url')}`,
    `fail bitcoin connection: ${sentence('Esplora server', 'bitcoin.esplora (entry 1)')}`,
    `fail lightning connection: The Lightning node at ${portOf(plain)} does not answer as it should (it speaks ` +
      'without TLS, which lnd always uses): correct lnd.socket, or update it.',
    `fail arkade connection: ${sentence('Arkade operator', 'arkade.url')}`,
    ...[1, 2].map((entry) => `fail evm:137 connection: ${sentence('RPC', `evm.137.rpc (entry ${entry})`)}`),
  ]);
});

test('a tip ahead of the clock and a median time past that is too far from it are named by how much', async () => {
  const core = (tipTime: number, mediantime: number) => coreServer({ tipTime, chain: { mediantime } });
  const rowsWith = async (url: string, of: string) =>
    (await rowsOf(withCore(url))).filter(({ network, check }) => network === 'bitcoin' && check === of).map(asText);
  const [ahead, behind, old] = [
    await core(now() + 5_400, now() - 60),
    await core(now() + 7_000, now() + 7_500),
    await core(now() - 60, now() - 14_400),
  ];
  expect(await rowsWith(ahead, 'sync')).toEqual([
    expect.stringMatching(/its last block is (89|90) min ahead of this machine's clock\.$/),
  ]);
  expect(await rowsWith(ahead, 'lag')).toEqual([
    expect.stringMatching(
      /^pass bitcoin lag: The median time past of the Bitcoin node at .* is 6\d s behind this machine's clock\.$/,
    ),
  ]);
  expect(await rowsWith(behind, 'lag')).toEqual([
    expect.stringMatching(
      /^fail bitcoin lag: This machine's clock is 2 h behind the median time past of the Bitcoin node at .*: set it by a time service\. New swaps over Bitcoin wait until then\.$/,
    ),
  ]);
  expect(await rowsWith(old, 'lag')).toEqual([
    expect.stringMatching(
      /^warn bitcoin lag: The median time past of the Bitcoin node at .* is 4 h behind this machine's clock/,
    ),
  ]);
  const evm = await evmServer({ time: now() + 600 });
  expect(await complaints({ evm: { 137: { rpc: [evm, evm] } } })).toEqual(
    [1, 2].map(
      () =>
        expect.stringMatching(
          /^fail evm:137 sync: The last block of the RPC at .* is 10 min ahead of this machine's clock: set it by a time service\.$/,
        ) as string,
    ),
  );
});

test('nodes that lag behind are named by how far', async () => {
  const lagging = await coreServer({ chain: { blocks: 90, headers: 101 } });
  const ahead = await esploraServer({ height: 110 });
  const [fast, slow, syncing] = await Promise.all([
    evmServer(),
    evmServer({ height: 900, time: now() - 200 }),
    evmServer({ syncing: { currentBlock: '0x64', highestBlock: '0x3e8' } }),
  ]);
  const { lnd } = sandbox.endpoints;
  expect(
    await complaints({
      bitcoin: { core: { url: lagging, userFile: 'user', passwordFile: 'password' }, esplora: [ahead] },
      evm: { 137: { rpc: [fast, slow] }, 42161: { rpc: [syncing, syncing] } },
    }),
  ).toEqual([
    `fail bitcoin sync: The Bitcoin node at ${portOf(lagging)} is at height 90 and knows of 11 blocks more: wait ` +
      'until it has them.',
    `fail bitcoin agreement: The Bitcoin node at ${portOf(lagging)} is 20 blocks behind the Esplora server at ` +
      `${portOf(ahead)}: it is cut off, or the other one is on a chain of its own.`,
    `fail lightning one chain: The Lightning node at ${lnd.socket} is at height 101, the Bitcoin endpoint at 110: ` +
      'one of them is behind or on another chain. Fix that one: timeouts need both.',
    `warn evm:137 sync: The RPC at ${portOf(slow)} had its last block 3 min ago: look again in some minutes.`,
    `fail evm:137 agreement: The RPC at ${portOf(slow)} is 100 blocks (3 min) behind the RPC at ${portOf(fast)}: ` +
      'one of them stands still or is on a chain of its own, replace it.',
    ...[1, 2].map(
      () =>
        expect.stringMatching(
          /^fail evm:42161 network: The RPC at .* is on Polygon \(chain 137\), this node is on Arbitrum One \(chain 42161\)/,
        ) as string,
    ),
  ]);
  expect(await complaints({ evm: { 137: { rpc: [syncing, syncing] } } })).toContain(
    `fail evm:137 sync: The RPC at ${portOf(syncing)} lacks 900 blocks: wait until it has them, or use another one.`,
  );
});

test('an operator that does not fit our timelocks or our limits is named with both numbers', async () => {
  const with_ = async (change: Json) => {
    const url = await operatorServer(change);
    return (await complaints({ arkade: { url, maxExposureSats: 5_000 }, lnd: null }))
      .filter((line) => line.includes(' arkade '))
      .map((line) =>
        line
          .replaceAll(`The Arkade operator at ${portOf(url)}`, 'It')
          .replaceAll(`the Arkade operator at ${portOf(url)}`, 'it'),
      );
  };
  expect(await with_({ unilateralExitDelay: '86528' })).toEqual([
    'warn arkade exit delay: The exit delay of it is 24 h and locks last 12 h and 24 h, but a claim without the ' +
      'operator takes 26 h: claims rely on the operator to be there, arkade.maxExposureSats bounds that to 5000 ' +
      'sats.',
  ]);
  expect(await with_({ unilateralExitDelay: String(512 * 30_000) })).toEqual([
    'fail arkade checkpoint: The exit delay of the Arkade operator is 15360000 s, and three times that is more ' +
      'than the 33553920 s that BIP 68 can say: do not use this operator.',
  ]);
  expect(await with_({ unilateralExitDelay: '1000' })).toEqual([
    'fail arkade checkpoint: The exit delay of the Arkade operator is 1000, which BIP 68 cannot say: do not use ' +
      'this operator.',
  ]);
  expect(await with_({ vtxoMaxAmount: '500000' })).toEqual([
    'fail arkade limits: It takes no coin above 500000 sats, terms.maxSats is 10000000: lower terms.maxSats to that.',
  ]);
  expect(await with_({ vtxoMaxAmount: '500' })).toEqual([
    'fail arkade limits: It takes no coin above 500 sats, terms.minSats is 1000: no swap fits, so lower ' +
      'terms.minSats or connect another operator.',
  ]);
  expect(await with_({ vtxoMinAmount: '5000' })).toEqual([
    'warn arkade limits: It takes no coin below 5000 sats, terms.minSats is 1000: set terms.minSats to that plus ' +
      'the fee.',
  ]);
  expect(await with_({ forfeitPubkey: operatorInfo['signerPubkey'] })).toEqual([
    expect.stringMatching(
      /^fail arkade checkpoint: The checkpoint script of .* names another key than its forfeit key/,
    ),
  ]);
  expect(await with_({ forfeitPubkey: 'zz' })).toEqual([
    expect.stringMatching(/^fail arkade checkpoint: The Arkade operator publishes invalid keys/),
  ]);
  expect(await with_({ sessionDuration: '3600' })).toEqual([
    expect.stringMatching(/^warn arkade session: The sessions of it last 60 min/),
  ]);
  expect(await with_({ version: 'v0.7.1' })).toEqual([
    'warn arkade version: It runs v0.7.1, older than what was tried with this node (0.9 up to below 0.10): update it.',
  ]);
});

test('a clock that is off, an answer that is slow and one that never comes are named by how much', async () => {
  const fast = await esploraServer({ reply: { headers: { date: new Date(Date.now() + 600_000).toUTCString() } } });
  const late = await operatorServer({}, { afterMs: 1_200 });
  const silent = await server(() => null);
  expect(await complaints({ bitcoin: { esplora: [fast] } })).toEqual([
    expect.stringMatching(
      new RegExp(
        `^fail bitcoin clock: The Esplora server at ${portOf(fast)} is (599|600) s ahead of this machine's clock: ` +
          'set both by a time service',
      ),
    ),
  ]);
  const slow = (await rowsOf({ arkade: { url: late, maxExposureSats: 1 } })).filter(
    ({ network, check }) => network === 'arkade' && check === 'latency',
  );
  expect(slow.map(asText)).toEqual([
    expect.stringMatching(
      /^warn arkade latency: The Arkade operator at .* took \d{4} ms to answer, up to 1000 ms are good/,
    ),
  ]);
  expect(await complaints({ arkade: { url: silent, maxExposureSats: 1 }, lnd: null }, {}, 400)).toEqual([
    expect.stringMatching(/^warn lightning connection: No Lightning node is configured/),
    expect.stringMatching(
      new RegExp(
        `^fail arkade connection: The Arkade operator at ${portOf(silent)} gave no answer in time \\(nothing came ` +
          'within 0.4 s\\)',
      ),
    ),
  ]);
});

test('secrets that others can read, and files that are missing or empty, are named with what to do', async () => {
  secret('open', Buffer.from(sandbox.endpoints.lnd.macaroon, 'hex'), 0o644);
  secret('empty', '');
  const path = (name: string) => join(folder, name);
  const notAsked =
    `warn lightning connection: The Lightning node at ${sandbox.endpoints.lnd.socket} was not asked: its ` +
    'credentials could not be read.';
  expect(
    await Promise.all(['open', 'missing', 'empty'].map((name) => complaints(lndWith({ macaroonFile: name })))),
  ).toEqual([
    [
      `fail node credentials: The file ${path('open')} of lnd.macaroonFile may be read by others (mode 0644), a ` +
        `secret has mode 0600: run chmod 600 ${path('open')}.`,
      notAsked,
    ],
    [
      `fail node credentials: The file ${path('missing')} of lnd.macaroonFile cannot be read (ENOENT): check its ` +
        'name and its owner.',
      notAsked,
    ],
    [
      `fail node credentials: The file ${path('empty')} of lnd.macaroonFile is empty: put the credential into it.`,
      notAsked,
    ],
  ]);
});

test('credentials sealed by owner routes are checked with the passphrase, and named without it', async () => {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const entropy = new Uint8Array(16).fill(3);
  await sealSeed(seedPath(data), entropy, [{ way: 'passphrase', passphrase: Buffer.from('right passphrase') }]);
  const sealer = createSealer(createKeys(await mnemonicToSeed(wordsOf(entropy)), 'regtest').sealingKey('credentials'));
  const { sealed } = sealCredential('lnd.macaroon', Buffer.from(sandbox.endpoints.lnd.macaroon, 'hex'), sealer);
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ lnd: { macaroon: { sealed } } }));
  secret('passphrase', 'right passphrase\n');
  secret('wrong', 'another one\n');
  const config = configuration(lndWith({ macaroonFile: undefined }));
  const faults = async (passphraseFile: string | null) => {
    const rows = await doctorRows({ config, dataDir: null, passphraseFile }, {}, 5_000);
    return rows.filter(({ result, check }) => result !== 'pass' && check !== 'latency').map(asText);
  };
  expect(await faults(join(folder, 'passphrase'))).toEqual([]);
  expect(await faults(null)).toEqual([
    'warn node credentials: lnd.macaroon is sealed in the data folder and opens only inside the node. Its ' +
      'endpoint was not checked: name the passphrase of the seed with --passphrase-file, or ask the running node ' +
      '(GET /owner/doctor).',
    expect.stringMatching(/^warn lightning connection: .* was not asked: its credentials could not be read\.$/),
  ]);
  expect(await faults(join(folder, 'wrong'))).toEqual([
    expect.stringMatching(/^fail node seed: The passphrase does not open /),
  ]);
  expect(await faults(join(folder, 'nowhere'))).toEqual([
    expect.stringMatching(/^fail node seed: The file of --passphrase-file cannot be read/),
  ]);
});

test('a key that nobody knows stops everything else with the nearest name', async () => {
  expect(await complaints({ arkdae: {} })).toEqual([
    expect.stringMatching(/^fail node configuration: Unknown key "arkdae" in the file .*: did you mean "arkade"\?$/),
  ]);
  expect(await complaints({}, { SLUICE_TERMS__FEE_BSP: '3' })).toEqual([
    expect.stringMatching(/^fail node configuration: The environment variable SLUICE_TERMS__FEE_BSP names no setting/),
  ]);
  expect(await doctorRows({ config: null, dataDir: folder, passphraseFile: null }, {})).toEqual([
    { network: 'node', check: 'configuration', result: 'fail', sentence: expect.stringContaining('--config') },
  ]);
});

test('a SOCKS proxy that is down or is none is named', async () => {
  const port = await closedPort();
  const page = await server(() => ({ body: 'no proxy' }));
  const [first, esplora] = await complaints({
    socks: `socks5://127.0.0.1:${port}`,
    bitcoin: { esplora: ['http://esplora.invalid:3002'] },
  });
  expect(first).toBe(
    `fail node socks: The SOCKS proxy at 127.0.0.1:${port} does not answer, nothing listens there: start it, or ` +
      'correct socks. Until then only addresses of this machine are reached.',
  );
  expect(esplora).toMatch(
    /^fail bitcoin connection: The Esplora server at esplora.invalid:3002 was not reached \(the SOCKS proxy 127.0.0.1:\d+ does not connect to esplora.invalid:3002 .*\): look at the proxy first, then at bitcoin.esplora \(entry 1\)\.$/,
  );
  expect((await complaints({ socks: `socks5://${portOf(page)}` }))[0]).toMatch(
    /^fail node socks: The SOCKS proxy at .* does not answer as it should/,
  );
});

test('a data folder of another network, one that others can enter and a damaged database are named', async () => {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'network'), 'signet\n');
  expect(await complaints({})).toEqual([
    `fail node folder: The data folder ${data} belongs to signet for ever, the configuration says regtest: choose ` +
      'another folder with --data-dir.',
  ]);
  writeFileSync(join(data, 'network'), 'regtest\n');
  chmodSync(data, 0o755);
  expect(await complaints({})).toEqual([
    `fail node folder: Others on this machine can look into the data folder ${data}: "chmod 700 ${data}".`,
  ]);
  chmodSync(data, 0o700);
  const db = new Database(join(data, 'sluice.db'));
  db.pragma('user_version = 999');
  db.exec(`CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT); CREATE TABLE swaps (open INTEGER)`);
  db.close();
  expect(await complaints({})).toEqual([
    expect.stringMatching(
      /^fail node database: The database in .* has schema 999, this build knows up to \d+: start a newer Sluice\.$/,
    ),
  ]);
  writeFileSync(join(data, 'sluice.db'), 'not a database at all, but long enough to be read as one'.repeat(100));
  expect(await complaints({})).toEqual([
    expect.stringMatching(/^fail node database: The database in .* is damaged \(file is not a database\)/),
  ]);
});

test('nothing configured and nothing bounded is said', async () => {
  const nothing = { lnd: null, bitcoin: {}, arkade: null };
  expect((await complaints({ network: 'mainnet', ...nothing })).map((line) => line.split(':')[0])).toEqual([
    'warn node caps',
    'warn bitcoin connection',
    'warn lightning connection',
    'warn arkade connection',
  ]);
  expect(await complaints({ arkade: { url: sandbox.endpoints.arkade.url } })).toEqual([
    expect.stringMatching(/^warn arkade exposure: The amount with the Arkade operator/),
  ]);
});

test('the command prints a line each with its totals, exits by the worst of them, and shows no secret', async () => {
  const core = await coreServer();
  // Providers of RPCs put the key of an account into the path.
  const rpc = await evmServer();
  const keyed = [`${rpc}/v2/${canary}-rpc`, `http://127.0.0.1:1/v2/${canary}-rpc`];
  async function command(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '..', '..', 'main', 'cli', 'doctor.ts'), ...args],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [code] = (await once(child, 'close')) as [number];
    return { code, out, err };
  }
  const [good, warned, failed, misused] = [
    await command('--config', configuration(withCore(core))),
    await command(
      '--config',
      configuration({
        ...withCore(core),
        ...lndWith({ socket: sandbox.endpoints.lnd.socket.replace('localhost', '127.0.0.1') }),
        arkade: { url: sandbox.endpoints.arkade.url },
      }),
      '--json',
    ),
    await command(
      '--config',
      configuration({
        ...withCore(core),
        evm: { 137: { rpc: keyed } },
        lnd: { ...(lndWith({})['lnd'] as Json), socket: '127.0.0.1:1' },
      }),
    ),
    await command('--confg', 'x'),
  ];
  // Slow answers of a busy machine are a warning of their own.
  const slow = good.out.split('\n').filter((line) => /^warn .* latency /.test(line)).length;
  expect([good.code, warned.code, failed.code, misused.code]).toEqual([slow === 0 ? 0 : 1, 1, 2, 2]);
  const lines = good.out.trimEnd().split('\n');
  expect(lines.at(-1)).toBe(`${lines.length - 2 - slow} pass, ${slow} warn, 0 fail`);
  expect(
    lines.slice(0, -2).filter((line) => !/^(pass|warn) {2}(node|bitcoin|lightning|arkade) +[a-z ]+ {2}\S/.test(line)),
  ).toEqual([]);
  expect(
    (JSON.parse(warned.out) as { rows: DoctorRow[] }).rows
      .filter(({ result, check }) => result === 'warn' && check !== 'latency')
      .map(({ check }) => check),
  ).toEqual(['exposure']);
  // Not a word of Node's own about what a library does, as with an address where a TLS server name belongs.
  expect([good.err, warned.err, failed.err]).toEqual(['', '', '']);
  expect(misused.err).toContain('Usage: npm run doctor');
  const { macaroon } = sandbox.endpoints.lnd;
  const secrets = [
    canary,
    macaroon,
    Buffer.from(macaroon, 'hex').toString('base64'),
    Buffer.from(`sluice:${canary}`).toString('base64'),
  ];
  const everything = [good, warned, failed, misused].map(({ out, err }) => out + err).join('\n');
  expect(secrets.filter((one) => everything.includes(one))).toEqual([]);
});
