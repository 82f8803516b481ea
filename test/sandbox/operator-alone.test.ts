import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArkAddress } from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { isRefusal } from '../../engine/domain/errors.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { scriptOfAddress } from '../../engine/legs/onchain/address.ts';
import { type SandboxControls, createControls } from '../../engine/sandbox/controls.ts';
import { type OperatorEndpoints, readOperatorEndpoints } from '../../engine/sandbox/endpoints.ts';
import { type Sandbox, runOperatorAlone, runSandbox } from '../../engine/sandbox/process.ts';
import { serveCore } from '../../engine/sandbox/wire/core.ts';
import type { HttpServer } from '../../engine/sandbox/wire/http.ts';
import { type BitcoinWorld, createBitcoin } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { readEndpoints } from '../support/sandbox-endpoints.ts';

const credentials = { user: 'user', password: 'p@ss/word' };

let dataDir: string;
let bitcoin: BitcoinWorld;
let node: HttpServer;
let alone: Sandbox<OperatorEndpoints> | null;

/** A chain that began so many seconds ago. */
function openNode(startHeight: number, ago = 10_000): BitcoinWorld {
  const started = Math.floor(Date.now() / 1_000) - ago;
  return createBitcoin({ journal: memoryJournal(), time: createTime(memoryJournal(), () => started), startHeight });
}

function serve(port = 0): Promise<HttpServer> {
  return serveCore({ world: bitcoin, port, ...credentials });
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-operator-'));
  bitcoin = openNode(150);
  node = await serve();
  alone = null;
});
afterEach(async () => {
  await alone?.stop();
  await node.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function rpc(user = credentials.user, password = credentials.password): string {
  const url = new URL(node.url);
  url.username = user;
  url.password = encodeURIComponent(password);
  return url.href;
}

async function start(): Promise<SandboxControls> {
  const started = await runOperatorAlone({ dataDir, port: 0, node: { url: rpc() } });
  if (isRefusal(started)) throw new Error(started.sentence);
  alone = started;
  return createControls(started.endpoints);
}

async function chainOf(controls: SandboxControls): Promise<{ height: number; mtp: number }> {
  return ((await controls.forward('GET', '/sandbox')).body as { chain: { height: number; mtp: number } }).chain;
}

function tip(): { height: number; mtp: number } {
  return { height: bitcoin.clock.height(), mtp: bitcoin.clock.mtp() };
}

async function address(): Promise<string> {
  const { signerPubkey } = (await fetch(`${alone?.endpoints.arkade.url}/v1/info`).then((response) =>
    response.json(),
  )) as { signerPubkey: string };
  const key = hex.decode(signerPubkey).subarray(1);
  return new ArkAddress(key, key, 'tark').encode();
}

test("an operator alone lives on wall time and on the real node's chain, forwards and through a reorg", async () => {
  const controls = await start();
  expect(await chainOf(controls)).toEqual(tip());
  bitcoin.advance(7_200);
  await expect.poll(() => chainOf(controls)).toEqual(tip());
  bitcoin.reorg(3);
  await expect.poll(() => chainOf(controls)).toEqual(tip());
  expect(Math.abs((await controls.state()).clock - Date.now() / 1_000)).toBeLessThan(30);
});

test('while the node is away or has lost its blocks, its last tip stays', async () => {
  const controls = await start();
  const before = tip();
  const port = node.port;
  await node.stop();
  bitcoin.mine(5);
  await new Promise((resolve) => setTimeout(resolve, 600));
  const away = await chainOf(controls);
  const full = bitcoin;
  bitcoin = openNode(11, 20_000);
  node = await serve(port);
  await new Promise((resolve) => setTimeout(resolve, 900));
  const emptied = await chainOf(controls);
  await node.stop();
  bitcoin = full;
  node = await serve(port);
  await expect.poll(() => chainOf(controls), { timeout: 60_000 }).toEqual(tip());
  expect([away, emptied]).toEqual([before, before]);
});

test('its faucet, its faults and its admin port work; what the real daemons do is theirs', async () => {
  const controls = await start();
  const { txid, vout } = await controls.arkadeFaucet({ address: await address(), amount: 10_000 });
  await controls.arkadeFault({ expire: `${txid}:${vout}` });
  const status = await fetch(`${alone?.endpoints.arkade.adminUrl}/v1/admin/wallet/status`).then((response) =>
    response.json(),
  );
  const elsewhere =
    'Only the Arkade operator is played here: Bitcoin and Lightning are those of the real daemons, and so are ' +
    'their controls.';
  const refused = [
    await controls.forward('POST', '/sandbox/clock/advance', { seconds: 1 }),
    await controls.forward('POST', '/sandbox/bitcoin/mine', { blocks: 1 }),
    await controls.forward('POST', '/sandbox/lightning/pay', { bolt11: 'lnbc1' }),
    await controls.forward('POST', '/sandbox/nowhere', {}),
  ];
  expect({
    status,
    refused,
    state: Object.keys(await controls.state()),
    endpoints: Object.keys(readOperatorEndpoints(dataDir) ?? {}),
    whole: readEndpoints(dataDir),
  }).toEqual({
    status: { initialized: true, unlocked: true, synced: true },
    refused: [
      {
        status: 404,
        body: {
          error:
            'The clock here is wall time and the chain of the real Bitcoin node: wait, or mine blocks with later ' +
            'stamps there.',
        },
      },
      { status: 404, body: { error: elsewhere } },
      { status: 404, body: { error: elsewhere } },
      { status: 404, body: { error: 'The sandbox has no /sandbox/nowhere.' } },
    ],
    state: ['clock', 'arkade', 'chain'],
    endpoints: ['pid', 'control', 'arkade'],
    whole: null,
  });
});

test('out of a coin of its wallet the faucet makes a commitment that the real chain takes', async () => {
  const controls = await start();
  const wallet = await fetch(`${alone?.endpoints.arkade.adminUrl}/v1/admin/wallet/address`).then(
    (response) => response.json() as Promise<{ address: string }>,
  );
  const script = scriptOfAddress(wallet.address, 'regtest') ?? expect.fail('the wallet has no address');
  const coin = bitcoin.faucet(script, sats(10_250)) ?? expect.fail('the chain is too young');
  const paying = (more: object) => controls.forward('POST', '/sandbox/arkade/faucet', { ...more });
  const pay = { address: await address(), amount: 10_000 };
  const paid = await controls.arkadeFaucet({ ...pay, from: `${coin.txid}:${coin.vout}`, from_sats: 10_250 });
  const commitment = bitcoin.submit(fromHex(paid.commitment ?? ''));
  bitcoin.mine(1);
  const [listed] = await fetch(`${alone?.endpoints.arkade.url}/v1/indexer/vtxos?outpoints=${paid.txid}:${paid.vout}`)
    .then((response) => response.json() as Promise<{ vtxos: { commitmentTxids: string[] }[] }>)
    .then(({ vtxos }) => vtxos);
  expect({
    listed: listed?.commitmentTxids,
    mined: bitcoin.transaction(commitment.txid)?.height,
    outputs: commitment.outputs.map(({ amount }) => amount),
    refused: [
      await paying({ ...pay, from: 'nothing', from_sats: 10_250 }),
      await paying({ ...pay, from: `${coin.txid}:0`, from_sats: 9_999 }),
      await paying({ ...pay, from: `${coin.txid}:0` }),
    ].map(({ status }) => status),
  }).toEqual({
    listed: [commitment.txid],
    mined: bitcoin.clock.height(),
    outputs: [10_000n],
    refused: [400, 400, 400],
  });
});

test('a restart finds the coins, a reset does not', async () => {
  const first = await start();
  const { txid } = await first.arkadeFaucet({ address: await address(), amount: 10_000 });
  const coins = () =>
    fetch(`${alone?.endpoints.arkade.url}/v1/indexer/vtxos?outpoints=${txid}:0`).then(
      async (response) => ((await response.json()) as { vtxos: unknown[] }).vtxos.length,
    );
  const places = alone?.endpoints;
  await alone?.stop();
  const again = await start();
  const coinsBefore = await coins();
  await again.reset();
  expect([alone?.endpoints, coinsBefore, await coins()]).toEqual([places, 1, 0]);
});

test('a folder lives on one kind of chain', async () => {
  await start();
  await alone?.stop();
  alone = null;
  const other = mkdtempSync(join(tmpdir(), 'sluice-operator-'));
  const whole = await runSandbox({ dataDir: other, port: 0 });
  if (isRefusal(whole)) throw new Error(whole.sentence);
  await whole.stop();
  const refused = [
    await runSandbox({ dataDir, port: 0 }),
    await runOperatorAlone({ dataDir: other, port: 0, node: { url: rpc() } }),
  ];
  rmSync(other, { recursive: true, force: true });
  expect(refused).toEqual([
    {
      refusal: 'invalid',
      sentence:
        `The networks of ${dataDir} live on the chain of a real Bitcoin node: choose another folder with --data-dir ` +
        'for networks on a chain of their own.',
    },
    {
      refusal: 'invalid',
      sentence:
        `The networks of ${other} live on a chain of their own: choose another folder with --data-dir for networks ` +
        'on the chain of a real Bitcoin node.',
    },
  ]);
});

test('a node that cannot be followed is refused with a sentence without its password', async () => {
  const runOn = async (url: string) => runOperatorAlone({ dataDir, port: 0, node: { url } });
  const host = new URL(node.url).host;
  const refused = [
    await runOn('127.0.0.1'),
    await runOn(rpc('user', 'a wrong one')),
    await runOn('https://user:secret@127.0.0.1:1'),
  ];
  expect(refused).toEqual([
    {
      refusal: 'invalid',
      sentence:
        '--bitcoin-rpc takes the address of a JSON-RPC as http://user:password@host:port or ' +
        'https://user:password@host:port.',
    },
    {
      refusal: 'unavailable',
      sentence: expect.stringContaining(`The Bitcoin node ${host} refuses the user name or the password`),
    },
    {
      refusal: 'unavailable',
      sentence:
        'The Bitcoin node 127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1. If it signed its ' +
        'certificate itself, give that with --bitcoin-rpc-ca.',
    },
  ]);
  expect(JSON.stringify(refused)).not.toMatch(/secret|a wrong one/);
});
