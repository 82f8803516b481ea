import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SandboxEndpoints } from '../../engine/sandbox/endpoints.ts';
import { raw, request } from '../api/serve.ts';
import { send } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { quickIntervals } from '../support/quick-time.ts';
import { openGate } from '../support/tcp-gate.ts';
import { startNetworks, startOwnNode, type OwnNetworks, type OwnNode } from './own-node.ts';

const regtest = {
  network: 'regtest',
  live: true,
  timing: { serviceLegSeconds: 7_200, fastBlockSeconds: 10, medianTimeLagSeconds: 600 },
};

let ours: OwnNetworks;
let theirs: OwnNetworks;
let folder: string;
let nodes: OwnNode[];
/** Connections are looked at every five seconds. */
let usualIntervals: () => void;

beforeAll(async () => {
  ours = await startNetworks();
  theirs = await startNetworks();
});
afterAll(async () => {
  await ours.stop();
  await theirs.stop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-own-'));
  nodes = [];
  usualIntervals = quickIntervals();
});
afterEach(async () => {
  for (const node of nodes) await node.stop();
  usualIntervals();
  rmSync(folder, { recursive: true, force: true });
  rmSync(`${folder}.json`, { force: true });
});

async function started(
  configuration: object = regtest,
  environment: Readonly<Record<string, string>> = {},
): Promise<OwnNode> {
  const node = await startOwnNode(folder, configuration, environment);
  nodes.push(node);
  return node;
}

async function ended(node: OwnNode): Promise<void> {
  await node.stop();
  nodes = nodes.filter((one) => one !== node);
}

/** What an owner types: the whole certificate as text and the macaroon in hex. */
function inline({ lnd }: SandboxEndpoints): { socket: string; cert: string; macaroon: string } {
  return { socket: lnd.socket, cert: Buffer.from(lnd.cert, 'base64').toString(), macaroon: lnd.macaroon };
}

function all(endpoints: SandboxEndpoints): object {
  return {
    bitcoin: { esplora: [endpoints.bitcoin.esploraUrl] },
    arkade: { url: endpoints.arkade.url },
    lnd: inline(endpoints),
  };
}

async function states(node: OwnNode): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await node.networks()).map(([name, { state }]) => [name, state]));
}

/** Of those that swap over Lightning. */
async function pairs(node: OwnNode): Promise<number> {
  const { body } = await send(node.url, 'GET', '/swap-pairs');
  return (body['pairs'] as object[]).filter((pair) => Object.values(pair).includes('Lightning')).length;
}

async function created(node: OwnNode): Promise<readonly [number, unknown]> {
  const { publicKey, address } = (await node.client(ours.endpoints.arkade.url)).arkade;
  const { status, body } = await send(node.url, 'POST', '/swap/lightning/arkade', {
    arkade_htlc_script_version: 1,
    claim_pk: publicKey,
    hash_lock: `0x${'12'.repeat(32)}`,
    target_arkade_address: address,
    source_amount_sats: 20_000,
    user_id: 'somebody',
  });
  return [status, body['error']];
}

async function funded(node: OwnNode, networks: OwnNetworks): Promise<void> {
  const { body } = await node.call('walletAddress', { params: { network: 'arkade' }, body: {} });
  for (let i = 0; i < 4; i++)
    await networks.controls.arkadeFaucet({ address: String(body['address']), amount: 1_000_000 });
  const available = async (): Promise<number> =>
    Number(
      ((await node.call('ownerBalances')).body['balances'] as { network: string; available: string }[]).find(
        ({ network }) => network === 'arkade',
      )?.available ?? 0,
    );
  await eventually(available, (sats) => sats >= 4_000_000);
}

async function pubkey(networks: OwnNetworks): Promise<string> {
  return (await networks.controls.state()).lightning.nodePubkey;
}

test('a node without networks offers nothing, and offers what is connected while it runs', async () => {
  const node = await started();
  expect([await states(node), await pairs(node), await created(node)]).toEqual([
    { arkade: 'absent', lightning: 'absent', bitcoin: 'absent' },
    0,
    [503, 'This direction needs an Arkade operator, and none is connected: GET /swap-pairs lists what can be swapped.'],
  ]);
  const { bitcoin, arkade, lnd } = all(ours.endpoints) as Record<string, unknown>;
  const replies = [await node.patch({ bitcoin }), await node.patch({ arkade }), await node.patch({ lnd })];
  expect(replies.map(({ status, body }) => (status === 200 ? 'changed' : body))).toEqual([
    'changed',
    'changed',
    'changed',
  ]);
  const { settings } = replies[2]?.body as { settings: Record<string, unknown> };
  expect([settings['lnd'], settings['bitcoin'], await states(node)]).toEqual([
    { socket: ours.endpoints.lnd.socket, cert: true, macaroon: true },
    {
      htlcForm: 'p2wsh',
      confirmations: [1, 3],
      confirmationsAboveSats: 10_000_000,
      consolidate: true,
      core: null,
      esplora: [ours.endpoints.bitcoin.esploraUrl],
    },
    { arkade: 'connected', lightning: 'connected', bitcoin: 'connected' },
  ]);
  await funded(node, ours);
  // To and from Lightning on Arkade, and a coin on the Bitcoin chain against a payment.
  expect(await pairs(node)).toBe(3);

  // What was given stays, sealed: nobody who reads the folder or the log has the macaroon.
  const stored = readFileSync(join(folder, 'settings.json'), 'utf8');
  const macaroon = Buffer.from(ours.endpoints.lnd.macaroon, 'hex');
  const readable = [
    ours.endpoints.lnd.macaroon,
    macaroon.toString('base64'),
    inline(ours.endpoints).cert.slice(40, 80),
    ours.endpoints.lnd.cert.slice(40, 80),
  ];
  expect([
    readable.filter((text) => stored.includes(text) || node.log.join().includes(text)),
    statSync(join(folder, 'settings.json')).mode & 0o777,
  ]).toEqual([[], 0o600]);
  await ended(node);
  const again = await started();
  expect(await states(again)).toEqual({ arkade: 'connected', lightning: 'connected', bitcoin: 'connected' });
  // A coin on the Bitcoin chain against a payment needs the channels' state, which is read after the start.
  expect(
    await eventually(
      () => pairs(again),
      (count) => count === 3,
    ),
  ).toBe(3);

  expect((await again.patch({ lnd: null })).status).toBe(200);
  expect([await states(again), await pairs(again), await created(again)]).toEqual([
    { arkade: 'connected', lightning: 'absent', bitcoin: 'connected' },
    0,
    [503, 'This direction needs a Lightning node, and none is connected: GET /swap-pairs lists what can be swapped.'],
  ]);
});

test('an open swap keeps its networks, and goes on over another address of the same', async () => {
  const node = await started();
  await node.patch(all(ours.endpoints));
  await funded(node, ours);
  const client = await node.client(ours.endpoints.arkade.url);
  const swap = await client.lightningToArkade({ source: 20_000 });
  const [mine, other] = [await pubkey(ours), await pubkey(theirs)];
  const gate = await openGate({ host: '127.0.0.1', port: Number(ours.endpoints.lnd.socket.split(':')[1]) });
  const refusals = [
    await node.patch({ lnd: null }),
    await node.patch({ bitcoin: null }),
    await node.patch({ lnd: inline(theirs.endpoints) }),
    await node.patch({ arkade: { url: theirs.endpoints.arkade.url } }),
    await node.patch({ lnd: { socket: '127.0.0.1:1' } }),
  ];
  expect(refusals.map(({ status, body }) => [status, body['error']])).toEqual([
    [400, '1 swap is open on Lightning: lnd can be removed when they are over.'],
    [400, '1 swap is open on Bitcoin: bitcoin can be removed when they are over.'],
    [
      400,
      `1 swap is open on the Lightning node ${mine}, and this is ${other}: wait until they are over, or give ` +
        `another address of ${mine}.`,
    ],
    [
      400,
      expect.stringMatching(
        /^1 swap is open on the Arkade operator [0-9a-f]{64}, and this is [0-9a-f]{64}: wait until they are over/,
      ),
    ],
    [
      400,
      expect.stringMatching(
        /^1 swap is open on Lightning, and who is at the new address cannot be told \(The Lightning node gave no answer/,
      ),
    ],
  ]);
  expect((await node.patch({ lnd: { socket: `127.0.0.1:${gate.port}` } })).status).toBe(200);
  const { payment_hash: paid } = await ours.controls.lightningPay(swap.bolt11);
  await eventually(
    () => client.status(swap),
    (status) => status === 'serverfunded',
  );
  await client.claim(swap);
  await eventually(
    () => client.status(swap),
    (status) => status === 'serverredeemed',
  );
  expect([
    (await ours.controls.lightningPayment(paid)).state,
    (await node.patch({ lnd: inline(theirs.endpoints) })).status,
    (await states(node))['lightning'],
  ]).toEqual(['settled', 200, 'connected']);
  await gate.shut();
});

test('a node that is another one since the restart gets nothing of an open swap, and both are named', async () => {
  const node = await started();
  await node.patch(all(ours.endpoints));
  await funded(node, ours);
  const client = await node.client(ours.endpoints.arkade.url);
  const { bolt11, payment_hash: hash } = await ours.controls.lightningInvoice({ amount_sats: 20_000 });
  const swap = await client.arkadeToLightning(bolt11);
  await ended(node);
  await ours.controls.arkadeFaucet({ address: swap.vhtlc.address, amount: swap.price });

  const macaroonFile = join(folder, 'their.macaroon');
  writeFileSync(macaroonFile, Buffer.from(theirs.endpoints.lnd.macaroon, 'hex'), { mode: 0o600 });
  const certFile = join(folder, 'their.cert');
  writeFileSync(certFile, Buffer.from(theirs.endpoints.lnd.cert, 'base64'));
  const changed = await started({ ...regtest, lnd: { socket: theirs.endpoints.lnd.socket, certFile, macaroonFile } });
  const sentence =
    `1 swap is open on the Lightning node ${await pubkey(ours)}, and ${await pubkey(theirs)} answers in its place: ` +
    `connect ${await pubkey(ours)} again until they are over.`;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect([
    await (await changed.client(ours.endpoints.arkade.url)).status(swap),
    (await changed.networks())['lightning'],
    await pairs(changed),
  ]).toEqual(['clientfunded', { state: 'away', detail: sentence }, 0]);
  await ended(changed);

  const back = await started();
  const again = await back.client(ours.endpoints.arkade.url);
  await eventually(
    () => again.status(swap),
    (status) => status === 'serverredeemed',
  );
  expect((await ours.controls.lightningPayment(hash)).state).toBe('settled');
});

test('an endpoint that is away at the start is found when it comes, and again after it went', async () => {
  const gate = await openGate({ host: '127.0.0.1', port: Number(ours.endpoints.lnd.socket.split(':')[1]) });
  await gate.shut();
  const node = await started();
  expect(
    (await node.patch({ ...all(ours.endpoints), lnd: { ...inline(ours.endpoints), socket: `127.0.0.1:${gate.port}` } }))
      .status,
  ).toBe(200);
  const stateList = [(await states(node))['lightning']];
  const lightning = async (): Promise<string | undefined> => (await states(node))['lightning'];
  for (const [move, state] of [
    ['open', 'connected'],
    ['shut', 'away'],
    ['open', 'connected'],
  ] as const) {
    await gate[move]();
    stateList.push(await eventually(lightning, (now) => now === state));
  }
  expect(stateList).toEqual(['away', 'connected', 'away', 'connected']);
  await gate.shut();
});

test('an EVM chain in the configuration file is used from the start, without a sandbox', async () => {
  const { rpcUrl, tokens } = (await ours.controls.state()).evm?.['137'] ?? expect.fail('the sandbox has no chain 137');
  const on = { rpc: [rpcUrl], peggedToken: tokens[0]?.address, tokens: [], dex: null };
  const node = await started({ ...regtest, evm: { '137': on } });
  const chain = async () => (await states(node))['evm:137'];
  expect(await eventually(chain, (state) => state === 'connected')).toBe('connected');
});

test('an EVM chain without the token that swaps lock is not there to swap on, and its line says why', async () => {
  const { rpcUrl } = (await ours.controls.state()).evm?.['137'] ?? expect.fail('the sandbox has no chain 137');
  const node = await started({ ...regtest, evm: { '137': { rpc: [rpcUrl] } } });
  const row = await eventually(
    async () => (await node.networks())['evm:137'],
    (network) => network !== undefined,
  );
  expect(row).toEqual({ state: 'away', detail: expect.stringContaining('so it is no token') });
});

test('credentials that are put right on the disk are read again, without a hand', async () => {
  const lnd = inline(ours.endpoints);
  const node = await started();
  const macaroonFile = join(folder, 'own.macaroon');
  writeFileSync(macaroonFile, Buffer.from(theirs.endpoints.lnd.macaroon, 'hex'), { mode: 0o600 });
  await node.patch({ lnd: { socket: lnd.socket, cert: lnd.cert, macaroonFile } });
  const lightning = async () => (await node.networks())['lightning'];
  const before = await lightning();
  writeFileSync(macaroonFile, Buffer.from(lnd.macaroon, 'hex'));
  const after = await eventually(lightning, (network) => network?.state === 'connected');
  expect([before, after?.state]).toEqual([{ state: 'away', detail: expect.stringContaining('macaroon') }, 'connected']);
});

describe('networks never mix', () => {
  test('every endpoint of another network is refused with both names, and nothing is stored', async () => {
    const node = await started({ network: 'signet' });
    const { arkade, bitcoin } = ours.endpoints;
    const host = new URL(bitcoin.esploraUrl).host;
    const rule =
      'is on regtest, this node is on signet: connect one of signet, or give regtest a data folder of its own.';
    const refusals = [
      await node.patch({ bitcoin: { esplora: ['http://127.0.0.1:1', bitcoin.esploraUrl] } }),
      await node.patch({
        bitcoin: { core: { url: bitcoin.rpc.url, user: bitcoin.rpc.user, password: bitcoin.rpc.password } },
      }),
      await node.patch({ arkade: { url: arkade.url } }),
      await node.patch({ lnd: inline(ours.endpoints) }),
    ];
    expect(refusals.map(({ status, body }) => [status, body['error']])).toEqual([
      [400, `The Esplora server ${host} ${rule}`],
      [400, `The Bitcoin node ${new URL(bitcoin.rpc.url).host} ${rule}`],
      [400, `The Arkade operator ${rule}`],
      [400, `The Lightning node ${rule}`],
    ]);
    expect([await states(node), (await node.call('ownerSettings')).body['settings']]).toEqual([
      { arkade: 'absent', lightning: 'absent', bitcoin: 'absent' },
      expect.objectContaining({
        lnd: null,
        arkade: null,
        bitcoin: {
          htlcForm: 'p2wsh',
          confirmations: [1, 3],
          confirmationsAboveSats: 10_000_000,
          consolidate: true,
          core: null,
          esplora: [],
        },
      }),
    ]);
  });

  test('named in the file they count as away with that sentence', async () => {
    const node = await started({
      network: 'signet',
      arkade: { url: ours.endpoints.arkade.url },
      bitcoin: { esplora: [ours.endpoints.bitcoin.esploraUrl] },
    });
    const { arkade, bitcoin } = await node.networks();
    expect([arkade, bitcoin, await pairs(node)]).toEqual([
      {
        state: 'away',
        detail: expect.stringMatching(/^The Arkade operator is on regtest, this node is on signet/),
        unsaved_sats: 0,
      },
      { state: 'away', detail: expect.stringMatching(/^The Esplora server .* is on regtest, this node is on signet/) },
      0,
    ]);
  });
});

describe('what a patch may not do', () => {
  test('it is refused with a sentence, and nothing changes', async () => {
    const node = await started({ ...regtest, terms: { feeBps: 30 } }, { SLUICE_CAPS__PER_HOUR_SATS: '1000' });
    const open = join(folder, 'open.macaroon');
    writeFileSync(open, 'x', { mode: 0o644 });
    const lnd = inline(ours.endpoints);
    const refusals = [
      await node.patch({ network: 'mainnet' }),
      await node.patch({ terms: { feeBps: 20 } }),
      await node.patch({ caps: { perHourSats: 5 } }),
      await node.patch({ termz: { feeBps: 20 } }),
      await node.patch({ terms: { minSats: 'many' } }),
      await node.patch({ terms: { minSats: 20_000_000 } }),
      await node.patch({ lnd: { ...lnd, macaroon: 'not a macaroon!' } }),
      await node.patch({ lnd: { socket: lnd.socket, cert: lnd.cert, macaroonFile: open } }),
      await node.patch({ lnd: { socket: lnd.socket, cert: lnd.cert, macaroonFile: '/nowhere/at.all' } }),
      await node.patch({ lnd: { socket: lnd.socket, cert: lnd.cert, macaroonFile: 'beside' } }),
      await node.patch({ lnd: { socket: lnd.socket, cert: lnd.cert } }),
    ];
    expect(refusals.map(({ status, body }) => `${status} ${String(body['error'])}`)).toEqual([
      '400 network cannot be changed while the node runs, one data folder holds one network for ever: give ' +
        'another network a data folder of its own.',
      `400 terms.feeBps is set by the file ${folder}.json, which overrides this: change it there.`,
      '400 caps.perHourSats is set by the environment, which overrides this: change it there.',
      '400 Unknown key "termz" in the request: did you mean "terms"?',
      expect.stringMatching(/^400 The setting terms.minSats cannot be "many": /),
      '400 terms.minSats (20000000) is above terms.maxSats (10000000): lower the one or raise the other.',
      '400 lnd.macaroon cannot be read: give the whole of the macaroon file, in hex or base64.',
      `400 The file ${open} of lnd.macaroonFile may be read by others (mode 0644), a secret has mode 0600: run ` +
        `chmod 600 ${open}.`,
      '400 The file /nowhere/at.all of lnd.macaroonFile cannot be read (ENOENT): check its name and its owner.',
      '400 lnd.macaroonFile cannot be "beside": give the absolute path.',
      '400 lnd.macaroonFile is missing: name the file that holds it, or give lnd.macaroon to PATCH /owner/settings.',
    ]);
    const { settings } = (await node.call('ownerSettings')).body as { settings: { terms: unknown; lnd: unknown } };
    expect([settings.terms, settings.lnd]).toEqual([
      {
        feeBps: 30,
        flatSats: 0,
        directions: {},
        inventory: { spreadBps: 0, belowShareBps: 2_500 },
        minSats: 1_000,
        maxSats: 10_000_000,
        overpaymentToleranceBps: 100,
        routingShareBps: 5_000,
        exemptReferralCodes: [],
      },
      null,
    ]);
  });

  test('what it may do holds at once and after a restart, and null takes it back', async () => {
    const node = await started();
    const hostname = async (): Promise<number> =>
      (await raw(Number(new URL(node.url).port), request('GET /health', { host: 'swaps.example' }))).status;
    const before = await hostname();
    await node.patch({ http: { hostnames: ['swaps.example'] }, terms: { feeBps: 40 } });
    expect([before, await hostname(), (await node.call('ownerSettings')).body['settings']]).toEqual([
      403,
      200,
      expect.objectContaining({ http: { hostnames: ['swaps.example'], trustLoopbackProxy: false, origins: [] } }),
    ]);
    await ended(node);
    const again = await started();
    const fee = async (): Promise<unknown> =>
      ((await again.call('ownerSettings')).body['settings'] as { terms: { feeBps: number } }).terms.feeBps;
    const rate = await fee();
    await again.patch({ terms: { feeBps: null } });
    expect([rate, await fee()]).toEqual([40, 25]);
  });
});
