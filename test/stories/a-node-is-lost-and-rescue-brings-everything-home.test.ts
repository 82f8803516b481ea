import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endpointsFile, type SandboxEndpoints } from '../../engine/sandbox/endpoints.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { osKeychain } from '../../main/keychain.ts';
import { loadEntropy } from '../../main/seed.ts';
import type { Client, Received, Sent } from './client/client.ts';
import { ask, text, whole, type Json } from './client/http.ts';
import { sendBitcoin } from './client/esplora.ts';
import { claimedBy, claimTogether, lightningToBitcoin } from './client/to-bitcoin.ts';
import { balanceOn } from './client/to-evm.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

const cli = join(import.meta.dirname, '..', '..', 'main', 'cli');

let node: WireNode;
let client: Client;
let networks: ChildProcess | null;
/** What its owner still has: the words, the bundle, and a configuration. */
let left: string;

beforeEach(async () => {
  networks = null;
  left = mkdtempSync(join(tmpdir(), 'sluice-left-'));
  const copyTo = join(left, 'rescue.bundle');
  node = await startWireNode({ environment: { SLUICE_RESCUE__COPY_TO: copyTo } });
  client = await node.client();
});

afterEach(async () => {
  if (networks !== null && networks.exitCode === null) {
    const ended = once(networks, 'close');
    networks.kill('SIGTERM');
    await ended;
  }
  await node.stop();
  rmSync(left, { recursive: true, force: true });
});

/** The node dies and its data folder goes; the networks, which are nobody's, live on. */
async function lose(...chains: string[]): Promise<void> {
  const entropy = await loadEntropy({ folder: node.folder, sandbox: true, passphrase: null, keychain: osKeychain() });
  if (isRefusal(entropy)) throw new Error(entropy.sentence);
  await node.kill('SIGKILL');
  for (const name of readdirSync(node.folder))
    if (name !== 'sandbox') rmSync(join(node.folder, name), { recursive: true, force: true });
  networks = spawn(process.execPath, [join(cli, 'sandbox.ts'), '--data-dir', node.folder], { stdio: 'ignore' });
  await eventually(
    () =>
      control('GET', '/sandbox').then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  const endpoints = endpointsNow();
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(left, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  file('words', entropyToMnemonic(entropy, wordlist));
  mkdirSync(join(left, 'empty'), { mode: 0o700 });
  file(
    'config.json',
    JSON.stringify({
      network: 'regtest',
      dataDir: join(left, 'empty'),
      arkade: { url: endpoints.arkade.url },
      bitcoin: { esplora: [endpoints.bitcoin.esploraUrl] },
      evm: Object.fromEntries(chains.map((id) => [id, chainOf(endpoints, id)])),
      lnd: {
        socket: endpoints.lnd.socket,
        certFile: file('cert', Buffer.from(endpoints.lnd.cert, 'base64')),
        macaroonFile: file('macaroon', Buffer.from(endpoints.lnd.macaroon, 'hex')),
      },
    }),
  );
}

/** As whoever has it in a configuration. */
function chainOf({ evm = {} }: SandboxEndpoints, id: string): object {
  const { rpcUrl = '', htlc = '', coordinator = '', permit2 = '', tokens = [] } = evm[id] ?? {};
  return { rpc: [rpcUrl], contracts: { htlc, coordinator, permit2 }, peggedToken: tokens[0]?.address, tokens: [] };
}

interface Own {
  readonly id: string;
  readonly provider_swap_id: string;
  readonly at: string;
  readonly pay: { readonly text: string; readonly amount: string };
}

/** A swap in which the node is the client, with itself as the provider: both are lost together. */
async function open(request: Json): Promise<Own> {
  return own(text(await node.owner('POST', '/owner/taker/swaps', request), 'id'));
}

async function own(id: string): Promise<Own> {
  return (await node.owner('GET', `/owner/taker/swaps/${id}`)) as unknown as Own;
}

function endpointsNow(): SandboxEndpoints {
  return JSON.parse(readFileSync(endpointsFile(node.folder), 'utf8')) as SandboxEndpoints;
}

async function control(method: 'GET' | 'POST', path: string, body?: Json): Promise<Json> {
  const { url, token } = endpointsNow().control;
  return ask(url, method, path, body, { authorization: `Bearer ${token}` });
}

async function passTo(time: number): Promise<void> {
  const now = whole(await control('GET', '/sandbox'), 'clock');
  await control('POST', '/sandbox/clock/advance', { seconds: Math.max(1, time - now) });
}

async function rescue(...more: string[]): Promise<{ code: number; out: string }> {
  const words = ['--config', join(left, 'config.json'), '--seed-file', join(left, 'words')];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(cli, 'rescue.ts'), ...words, '--bundle', join(left, 'rescue.bundle'), '--yes', ...more],
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
    );
  });
}

async function lightningState(hash: string): Promise<string> {
  return text(await control('GET', `/sandbox/lightning/payments/${hash}`), 'state');
}

async function spent(swap: Received | Sent): Promise<boolean[]> {
  return (await client.arkade.coins(swap.vhtlc)).map(({ isSpent }) => isSpent === true);
}

/** Whether the node's database holds the way of a coin of this script to the chain. */
function waySaved(script: Uint8Array): boolean {
  const db = new Database(join(node.folder, 'sluice.db'), { readonly: true });
  try {
    return db.prepare('SELECT 1 FROM exit_coins WHERE script = ?').get(Buffer.from(script)) !== undefined;
  } finally {
    db.close();
  }
}

test('with words and bundle alone every claim and every refund of its swaps comes home', async () => {
  const unclaimed = await client.lightningToArkade({ source: 30_000 });
  const unclaimedPayment = await node.pay(unclaimed.bolt11);
  const claimed = await client.lightningToArkade({ source: 40_000 });
  const claimedPayment = await node.pay(claimed.bolt11);
  const invoice = await node.invoice(50_000);
  const paid = await client.arkadeToLightning(invoice.bolt11);
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
  await node.faucet(paid.vhtlc.address, paid.price);
  await node.until(unclaimed, 'serverfunded');
  await node.until(claimed, 'serverfunded');
  await node.until(paid, 'serverfunded');
  await lose();
  await client.claim(claimed);
  await control('POST', '/sandbox/lightning/release', { payment_hash: invoice.hash, outcome: 'settles' });
  const first = await rescue();
  expect(
    [first.code, await lightningState(claimedPayment), await spent(paid), await spent(unclaimed)],
    first.out,
  ).toEqual([1, 'settled', [true], [false]]);
  await passTo(whole(unclaimed.record, 'vhtlc_refund_locktime') + 7_200);
  const second = await rescue();
  expect([second.code, await lightningState(unclaimedPayment), await spent(unclaimed)], second.out).toEqual([
    0,
    'failed',
    [true],
  ]);
}, 180_000);

test('swaps of its own come back too: bitcoin that was paid after the loss, and tokens on an EVM chain', async () => {
  const { evm } = endpointsNow();
  const chain = evm?.['137'];
  const token = chain?.tokens[0]?.address ?? '';
  const bitcoin = await open({ direction: 'bitcoin-arkade', amount_sats: 40_000 });
  const { bolt11, hash } = await node.invoice(30_000);
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'hangs' });
  const tokens = await open({
    direction: 'evm-lightning',
    amount_sats: 30_000,
    invoice: bolt11,
    evm_chain_id: 137,
    gasless: false,
  });
  const account = tokens.pay.text;
  const fund = (of: string, amount: string) =>
    node.owner('POST', '/sandbox/evm/137/faucet', { address: account, token: of, amount });
  await fund(`0x${'00'.repeat(20)}`, (10n ** 18n).toString());
  await fund(token, tokens.pay.amount);
  await eventually(
    async () => (await own(tokens.id)).at,
    (at) => at === 'funded',
    60_000,
  );
  await node.until({ id: tokens.provider_swap_id }, 'serverfunded');
  // The bundle follows within a quarter of a second.
  await pause(1_000);
  await lose('137');
  await control('POST', '/sandbox/bitcoin/faucet', { address: bitcoin.pay.text, amount: Number(bitcoin.pay.amount) });
  await control('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
  await control('POST', '/sandbox/lightning/release', { payment_hash: hash, outcome: 'fails' });
  const early = await rescue();
  expect(early.code, early.out).toBe(1);
  await passTo(whole(await control('GET', '/sandbox'), 'clock') + 3 * 86_400);
  const to = `0x${'ab'.repeat(20)}`;
  let last = await rescue('--to', to);
  for (let blocks = 0; blocks < 6 && last.code === 1; blocks++) {
    await control('POST', '/sandbox/bitcoin/mine', { blocks: 6 });
    last = await rescue('--to', to);
  }
  expect([last.code, last.out], last.out).toEqual([0, expect.stringMatching(/Bitcoin: 1000040\d{3} sats/)]);
  expect(await balanceOn(chain?.rpcUrl ?? '', 137, token, to)).toBeGreaterThanOrEqual(BigInt(tokens.pay.amount));
}, 240_000);

test('with the operator gone as well, what it locked comes back over the chain', async () => {
  const { address } = await node.owner('POST', '/owner/wallets/bitcoin/address', {});
  for (let coins = 0; coins < 4; coins++)
    await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount: 60_000 });
  const swap = await client.lightningToArkade({ source: 30_000 });
  const payment = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  // What the coin hangs on is mined; a way that was not there to be read is asked for less and less often.
  await node.advance(600);
  await eventually(async () => waySaved(swap.vhtlc.pkScript), Boolean, 120_000);
  // The bundle follows within a quarter of a second, and later on a busy machine.
  await pause(5_000);
  await lose();
  await control('POST', '/sandbox/arkade/fault', { operator: 'away' });
  await passTo(whole(swap.record, 'vhtlc_refund_locktime') + 7_200);
  let last = await rescue('--operator-gone');
  for (let blocks = 0; blocks < 12 && !/its delay of \d+ seconds has to pass/.test(last.out); blocks++) {
    await passTo(whole(await control('GET', '/sandbox'), 'clock') + 600);
    last = await rescue('--operator-gone');
  }
  expect(last.out).toMatch(/its delay of \d+ seconds has to pass/);
  await passTo(whole(await control('GET', '/sandbox'), 'clock') + 3 * 86_400 + 3_600);
  const sent = await rescue('--operator-gone');
  await passTo(whole(await control('GET', '/sandbox'), 'clock') + 7_200);
  const home = await rescue('--operator-gone');
  expect([sent.out, await lightningState(payment)], home.out).toEqual([
    expect.stringMatching(/spent on the chain by/),
    'failed',
  ]);
}, 420_000);

test('a coin whose claim was signed after the bundle was written is not taken back', async () => {
  const swap = await lightningToBitcoin(node.url, { amount: { target_amount_sats: 60_000 } });
  const payment = await node.pay(swap.bolt11);
  const record = await node.until(swap, 'serverfunded', 60_000);
  // The bundle follows within a quarter of a second.
  await pause(1_000);
  const older = readFileSync(join(left, 'rescue.bundle'));
  const { esploraUrl } = endpointsNow().bitcoin;
  // So that the payment is not settled before the node is lost.
  await node.owner('POST', '/sandbox/lightning/fault', { node: 'away' });
  const { raw } = await claimTogether(node.url, esploraUrl, { swap, record });
  await lose();
  writeFileSync(join(left, 'rescue.bundle'), older);
  await control('POST', '/sandbox/lightning/fault', { node: 'back' });
  const { height } = (await control('GET', '/sandbox'))['bitcoin'] as { height: number };
  await control('POST', '/sandbox/bitcoin/mine', { blocks: whole(record, 'btc_refund_locktime') - height + 2 });
  const late = await rescue();
  expect(late.out).not.toMatch(/take back what we gave/);
  await sendBitcoin(endpointsNow().bitcoin.esploraUrl, raw);
  await control('POST', '/sandbox/bitcoin/mine', { blocks: 6 });
  expect([await claimedBy(endpointsNow().bitcoin.esploraUrl, swap), await lightningState(payment)], late.out).toEqual([
    60_000 - 400,
    'settled',
  ]);
}, 180_000);
