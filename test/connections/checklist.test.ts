import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { neededPermissions } from '../../engine/adapters/lnd/permissions.ts';
import type { Checklist, ChecklistStep } from '../../engine/contract/owner/checklist.ts';
import type { Doctor } from '../../engine/contract/owner/doctor.ts';
import { bakeMacaroon } from '../../engine/sandbox/wire/lnd/macaroon.ts';
import { boltzOf, tried as clients } from '../../engine/service/checklist/wallets.ts';
import { noteWordsCompared } from '../../engine/store/seed-marks.ts';
import { send, type Json } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { quickIntervals } from '../support/quick-time.ts';
import { startNetworks, startOwnNode, type OwnNetworks, type OwnNode } from './own-node.ts';

/** One node on its way from an empty folder: each test goes on from the one before. */
let networks: OwnNetworks;
let folder: string;
let elsewhere: string;
let node: OwnNode;
let webhook: { server: Server; url: string; status: number };
let usualIntervals: () => void;

beforeAll(async () => {
  usualIntervals = quickIntervals();
  networks = await startNetworks();
  folder = mkdtempSync(join(tmpdir(), 'sluice-checklist-'));
  elsewhere = mkdtempSync(join(tmpdir(), 'sluice-elsewhere-'));
  const server = createServer((request, reply) => {
    request.on('end', () => reply.writeHead(webhook.status).end()).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  webhook = { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, status: 200 };
  node = await startOwnNode(folder, {
    network: 'regtest',
    timing: { serviceLegSeconds: 7_200, fastBlockSeconds: 10, medianTimeLagSeconds: 600 },
  });
}, 120_000);
afterAll(async () => {
  await node.stop();
  await networks.stop();
  webhook.server.close();
  usualIntervals();
  rmSync(folder, { recursive: true, force: true });
  rmSync(elsewhere, { recursive: true, force: true });
  rmSync(`${folder}.json`, { force: true });
});

async function checklist(): Promise<Checklist> {
  return (await node.call('ownerChecklist')).body as unknown as Checklist;
}

async function steps(): Promise<Record<string, ChecklistStep>> {
  return Object.fromEntries((await checklist()).steps.map((step) => [step.id, step]));
}

async function states(...ids: string[]): Promise<(string | undefined)[]> {
  const all = await steps();
  return ids.map((id) => all[id]?.state);
}

const lnd = () => ({
  socket: networks.endpoints.lnd.socket,
  cert: Buffer.from(networks.endpoints.lnd.cert, 'base64').toString(),
  macaroon: networks.endpoints.lnd.macaroon,
});

/** As `lndconnect` prints it: the certificate as its bytes, both in the alphabet of addresses. */
function link(): string {
  const { socket, cert, macaroon } = networks.endpoints.lnd;
  const text = Buffer.from(cert, 'base64')
    .toString()
    .replace(/-----[^-]+-----|\s/g, '');
  const encoded = [Buffer.from(text, 'base64'), Buffer.from(macaroon, 'hex')].map((part) => part.toString('base64url'));
  return `lndconnect://${socket}?cert=${encoded[0]}&macaroon=${encoded[1]}`;
}

async function tried(patch: Json): Promise<Doctor['rows']> {
  const { status, body } = await node.call('trySettings', { body: patch });
  expect(status).toBe(200);
  return (body as unknown as Doctor).rows;
}

test('an empty folder: nothing is done but what was seen, and it is not ready', async () => {
  const { live, ready, steps: all } = await checklist();
  expect([live, ready, all.map(({ id, state }) => `${id}: ${state}`)]).toEqual([
    false,
    false,
    [
      'seed: todo',
      'bundle: todo',
      'machine: done',
      'bitcoin: todo',
      'lightning: todo',
      'arkade: todo',
      'evm: todo',
      'prices: todo',
      'alerts: todo',
      'rehearsal: todo',
      'boltz: done',
      'live: todo',
    ],
  ]);
  expect(all.filter(({ state, act, sentence }) => state === 'todo' && act === undefined && sentence === '')).toEqual(
    [],
  );
  expect((await steps())['lightning']?.command).toMatch(/^lncli bakemacaroon --save_to sluice\.macaroon uri:/);
});

test('the seed is done once its words were compared, and not before', async () => {
  noteWordsCompared(folder, 1_700_000_000);
  const { seed } = await steps();
  expect(seed).toMatchObject({ state: 'done', sentence: expect.stringContaining('2023-11-14 22:13') });
});

test('the second place of the bundle is done once the bundle was written there', async () => {
  await node.patch({ rescue: { copyTo: join(elsewhere, 'missing', 'rescue.bundle') } });
  await eventually(
    async () => (await steps())['bundle'],
    (step) => step?.state === 'failed' && step.sentence.includes('cannot be written'),
  );
  await node.patch({ rescue: { copyTo: join(elsewhere, 'rescue.bundle') } });
  await eventually(
    () => states('bundle'),
    ([state]) => state === 'done',
  );
});

test('a change is tried before it is saved: nothing of it is stored, and what is wrong is named', async () => {
  const wrong = await tried({ lnd: { ...lnd(), socket: '127.0.0.1:1' }, arkade: { url: 'http://127.0.0.1:1' } });
  const right = await tried({ lnd: lnd() });
  expect({
    wrong: wrong.filter(({ result }) => result === 'fail').map(({ network, check }) => [network, check]),
    right: right.filter(({ result }) => result === 'fail'),
    networks: [...new Set(right.map(({ network }) => network))],
    states: await states('lightning', 'arkade'),
    settings: ((await node.call('ownerSettings')).body['settings'] as Json)['lnd'],
    refused: (await node.call('trySettings', { body: { lnd: { socket: 'nonsense' } } })).status,
  }).toEqual({
    wrong: [
      ['lightning', 'connection'],
      ['arkade', 'connection'],
    ],
    right: [],
    networks: ['node', 'lightning'],
    states: ['todo', 'todo'],
    settings: null,
    refused: 400,
  });
});

test('a macaroon that may do more than it needs is named, with what makes the right one', async () => {
  const rights = [...Object.keys(neededPermissions).map((call) => `uri:${call}`), 'onchain:write'];
  const rows = await tried({
    lnd: { ...lnd(), macaroon: Buffer.from(bakeMacaroon(new Uint8Array(32).fill(9), rights)).toString('hex') },
  });
  expect(rows.find(({ check }) => check === 'macaroon')).toMatchObject({
    result: 'warn',
    sentence: expect.stringMatching(/may do more than this node needs \(onchain:write\).*lncli bakemacaroon/),
  });
});

test('each network is done once it answers, and failed when what is connected does not', async () => {
  await node.patch({ bitcoin: { esplora: [networks.endpoints.bitcoin.esploraUrl] } });
  await node.patch({ lnd: { link: link() } });
  await node.patch({ arkade: { url: networks.endpoints.arkade.url } });
  await eventually(
    () => states('bitcoin', 'lightning', 'arkade'),
    (all) => all.every((state) => state === 'done'),
  );
  // The link is kept as what it holds, sealed: neither the folder nor the log has its macaroon, however it is written.
  const macaroon = Buffer.from(networks.endpoints.lnd.macaroon, 'hex');
  const traces = readFileSync(join(folder, 'settings.json'), 'utf8') + node.log.join('\n');
  const forms = (['hex', 'base64', 'base64url'] as const).map((form) => macaroon.toString(form));
  expect(forms.filter((form) => traces.includes(form))).toEqual([]);
  await node.patch({ evm: { '137': { rpc: ['http://127.0.0.1:1'] } } });
  expect(await states('evm', 'evm:137', 'contracts:evm:137')).toEqual([undefined, 'failed', 'todo']);
  await node.patch({ evm: { '137': null } });
});

test('what is put in shows, with what the limits still want', async () => {
  const before = (await steps())['liquidity:arkade'];
  expect(before).toMatchObject({ state: 'todo', deposits: [{ asset: 'btc', most: '10000000' }] });
  const { body } = await node.call('walletAddress', { params: { network: 'arkade' }, body: {} });
  for (let coin = 0; coin < 4; coin++)
    await networks.controls.arkadeFaucet({ address: String(body['address']), amount: 1_000_000 });
  await eventually(
    () => states('liquidity:arkade'),
    ([state]) => state === 'done',
  );
  expect((await steps())['liquidity:arkade']?.deposits?.[0]?.least).toBe('0');
});

test('of an EVM chain its RPCs, its contracts, its gas and its token are looked at, each by itself', async () => {
  const chain = networks.endpoints.evm?.['137'];
  if (chain === undefined) throw new Error('the sandbox has no chain 137');
  const { rpcUrl, secondRpcUrl, htlc, coordinator, tokens } = chain;
  const peggedToken = tokens[0]?.address ?? '';
  const own = { contracts: { htlc, coordinator }, peggedToken, tokens: [], dex: null };
  const wrong = await tried({ evm: { '137': { ...own, rpc: [rpcUrl, 'http://127.0.0.1:1'] } } });
  expect(wrong.filter(({ check }) => check === 'connection').map(({ result }) => result)).toEqual(['pass', 'fail']);
  await node.patch({
    evm: { '137': { ...own, tokens: [htlc], dex: { quoter: htlc, router: htlc }, rpc: [rpcUrl, secondRpcUrl] } },
  });
  await eventually(
    async () => (await steps())['evm:137'],
    (step) => step?.state === 'failed' && step.sentence.includes('evm.137.tokens'),
  );
  await node.patch({ evm: { '137': { ...own, rpc: [rpcUrl, secondRpcUrl] } } });
  await eventually(
    () => states('evm:137', 'contracts:evm:137', 'liquidity:evm:137'),
    (all) => all.join() === 'done,done,todo',
  );
  const zero = `0x${'00'.repeat(20)}`;
  const before = (await steps())['liquidity:evm:137'];
  expect(before?.deposits?.map(({ asset, least }) => [asset, least === '0'])).toEqual([
    [peggedToken, false],
    [zero, false],
  ]);
  const { body } = await node.call('walletAddress', { params: { network: 'evm:137' }, body: {} });
  const put = (token: string, amount: bigint) =>
    networks.controls.evmFaucet('137', { address: String(body['address']), token, amount: String(amount) });
  await put(zero, 5n * 10n ** 18n);
  await put(peggedToken, 10n ** 8n);
  await eventually(
    () => states('liquidity:evm:137'),
    ([state]) => state === 'done',
  );
  expect((await steps())['liquidity:evm:137']?.deposits?.map(({ least }) => least)).toEqual(['0', '0']);
});

test('prices are looked over once they are set', async () => {
  await node.patch({ terms: { feeBps: 25 } });
  expect(await states('prices')).toEqual(['done']);
});

test('alerts are done once a test arrived, failed when it did not, and to do again when the way changed', async () => {
  await node.patch({ alerts: { webhookUrl: webhook.url } });
  const story = [await states('alerts')];
  webhook.status = 500;
  await node.call('testAlerts', { body: {} });
  story.push(await states('alerts'));
  webhook.status = 200;
  await node.call('testAlerts', { body: {} });
  story.push(await states('alerts'));
  await node.patch({ alerts: { webhookUrl: `${webhook.url}other` } });
  story.push(await states('alerts'));
  expect(story.flat()).toEqual(['todo', 'failed', 'done', 'todo']);
});

test('other wallets are given an address once they are answered', async () => {
  const words = { shut: 'not answered', here: 'this machine alone' };
  const boltz = async () => {
    const { state, address, sentence } = (await steps())['boltz'] ?? {};
    // By which of them it was tried stands beside the switch, whether it is on or off.
    expect(sentence).toContain(clients);
    return [state, address, sentence?.includes(words.shut), sentence?.includes(words.here)];
  };
  const story = [await boltz()];
  await node.patch({ boltz: { enabled: true } });
  story.push(await boltz());
  await node.patch({ http: { hostnames: ['swaps.example', 'other.example'] } });
  story.push(await boltz());
  expect(story).toEqual([
    ['done', undefined, true, false],
    // Its port is any free one.
    ['done', undefined, false, true],
    ['done', 'https://swaps.example', false, false],
  ]);
  const toArkade = { enabled: false, maxSwapSats: 1, maxLossSats: 1 };
  const http = { hostnames: [], trustLoopbackProxy: false, origins: [] };
  expect(boltzOf({ config: { boltz: { enabled: true, toArkade }, http, port: 7_733 } }).address).toBe(
    'http://127.0.0.1:7733',
  );
  const misread = { boltz: { enabled: true, toArkade }, http, port: 19_069 };
  expect(boltzOf({ config: misread })).toMatchObject({
    state: 'failed',
    act: expect.stringContaining('9069') as string,
  });
  expect(boltzOf({ config: { ...misread, http: { ...http, hostnames: ['swaps.example'] } } }).state).toBe('done');
});

test('it is ready before it is live, and a stranger is served after', async () => {
  const pairs = async () => ((await send(node.url, 'GET', '/swap-pairs')).body['pairs'] as object[]).length;
  const before = [(await checklist()).ready, await pairs()];
  const rehearsal = (await steps())['rehearsal:lightning-arkade'];
  await node.patch({ live: true });
  expect([before, rehearsal?.state, (await steps())['live']?.state, (await pairs()) > 0]).toEqual([
    [true, 0],
    'todo',
    'done',
    true,
  ]);
});
