import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { serveCore } from '../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../engine/sandbox/wire/http.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { lyingEsplora, type LyingEsplora } from '../support/lying-esplora.ts';
import { accepted, deposit } from '../support/bitcoin-wallet.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const credentials = { user: 'owner', password: 'of the tests' };
const options = { bitcoinWallet: true, pollMs: 25 } as const;
const day = 86_400;
const stranger = openPayer('a stranger');

let scene: Scene;
let truth: HttpServer;
let other: LyingEsplora;
let core: HttpServer;
/** What the mempool of the own node asks for once the funding comes. */
let minimum: number;
/** What no server shows but behind the spend of its coin, to whoever sends it. */
let hidden: string | null;

beforeEach(async () => {
  hidden = null;
  scene = await openScene(options, 'usual');
  const { bitcoin } = scene.world;
  truth = await serveEsplora(bitcoin, 0);
  other = await lyingEsplora(truth.url);
  core = await serveCore({ world: bitcoin, port: 0, ...credentials, txindex: true, errorsAreOk: false });
  await deposit(scene, 400_000);
  await scene.restart({ ...options, bitcoin: bothSources() });
});
afterEach(async () => {
  await scene.end();
  for (const server of [other, truth, core]) await server.stop();
});

/** An own node, and the Esplora server of somebody else. */
function bothSources(): BitcoinPort {
  const { world } = scene;
  const port = connectBitcoin({
    network: 'regtest',
    core: { url: core.url, ...credentials, ca: null },
    esplora: [other.url],
    wall: world.now,
    isOwn: () => false,
  });
  if (port === null) throw new Error('nothing is connected');
  return {
    ...port,
    broadcast(bytes) {
      world.bitcoin.setMempoolMinimum(minimum);
      return port.broadcast(bytes);
    },
    glance: async (txid) => (txid === hidden ? null : port.glance(txid)),
  };
}

/** The funding is signed, too cheap for the own node, and in the mempool of the other source alone. */
async function fundedElsewhere() {
  minimum = 60;
  const { client, node, world } = scene;
  const { id, bolt11_invoice: invoice } = accepted(
    await node.service.create(
      'lightning-bitcoin',
      {
        ...{ userId: 'client', extraFeesBps: 0, referralCode: null, targetAddress: null, description: null },
        amount: { pinned: 'target', amount: sats(100_000n) },
        claimKey: { key: fromHex(client.publicKey) as never, text: client.publicKey },
        hash: sha256Of(client.secret()),
      },
      null,
    ),
  );
  world.pay(invoice);
  const funding = () => node.store.transactions.of(id).find(({ purpose }) => purpose === 'fund');
  await eventually(() => funding()?.state === 'accepted', 'the funding may be out');
  const { txid = '' } = funding() ?? {};
  const bytes = node.store.transactions.bytes(txid) ?? new Uint8Array();
  const [coin] = readRawTx(bytes)?.inputs ?? [];
  if (coin === undefined) throw new Error('it spends no coin');
  return { id, coin, txid, bytes, node, world };
}

/** That this transaction waits and spends the coin; its bytes so many times, if not for ever after the spend alone. */
function shows(coin: Outpoint, bytes: Uint8Array, times = Infinity): void {
  const { txid = '' } = readRawTx(bytes) ?? {};
  const status = { confirmed: false };
  let left = times;
  let isNamed = times === Infinity;
  other.lie((path) => {
    if (path === `/tx/${coin.txid}/outspend/${coin.vout}`) {
      isNamed = true;
      return { status: 200, body: { spent: true, txid, vin: 0, status } };
    }
    if (!path.startsWith(`/tx/${txid}/`)) return undefined;
    if (left <= 0 || !isNamed) return { status: 404, body: 'Transaction not found' };
    if (path.endsWith('/status')) return { status: 200, body: status };
    left -= 1;
    isNamed = times === Infinity;
    return { status: 200, body: toHex(bytes) };
  });
}

/** It came too late: its coin is on the way home. */
async function cancelled({ coin, node, world, id }: Awaited<ReturnType<typeof fundedElsewhere>>): Promise<void> {
  world.bitcoin.setFeeRate(70);
  await world.advance(day / 2);
  await eventually(() => world.bitcoin.spend(coin) !== undefined, 'its coin is taken back');
  await world.mine(6);
  await node.until(id, 'stopped', 'refunded');
}

test('fault 290, bitcoin: a funding that an Esplora server alone shows is taken back with its bytes', async () => {
  const { id, coin, txid, bytes, node, world } = await fundedElsewhere();
  shows(coin, bytes);
  await node.until(id, 'locked');
  world.bitcoin.setFeeRate(70);
  await world.advance(2 * day);
  const output = { txid, vout: 0 };
  await eventually(() => world.bitcoin.spend(output) !== undefined, 'the refund is sent');
  const [parent, child] = [txid, world.bitcoin.spend(output)?.txid ?? ''].map((name) => world.bitcoin.waiting(name));
  const size = (parent?.tx.vsize ?? 0) + (child?.tx.vsize ?? 0);
  expect(Number((parent?.fee ?? 0n) + (child?.fee ?? 0n)) / size).toBeGreaterThanOrEqual(60);
  await world.mine(6);
  await node.until(id, 'refunded');
});

test('fault 358, bitcoin: a funding that is shown to nobody but its sender is taken back with its bytes', async () => {
  const { id, coin, txid, bytes, node, world } = await fundedElsewhere();
  hidden = txid;
  shows(coin, bytes);
  await node.until(id, 'locked');
  world.bitcoin.setFeeRate(70);
  await world.advance(2 * day);
  await eventually(() => world.bitcoin.spend({ txid, vout: 0 }) !== undefined, 'the refund is sent');
  await world.mine(6);
  await node.until(id, 'refunded');
});

test('fault 290, bitcoin: a spend of its coin that a server makes up keeps no late funding on its way', async () => {
  const funded = await fundedElsewhere();
  const { coin } = funded;
  const from = [{ outpoint: coin, amount: 400_000n }];
  shows(coin, stranger.pay({ from, to: [{ script: stranger.script, amount: 399_000n }] }));
  await cancelled(funded);
});

test('fault 290, bitcoin: nor does one that a server shows once and then only names', async () => {
  const funded = await fundedElsewhere();
  const { coin, txid, bytes, node } = funded;
  // The node looks at it meanwhile, and may be the one that is shown its bytes.
  for (let tries = 0; tries < 50 && (await node.ports.bitcoin?.spend(coin)) === null; tries++) shows(coin, bytes, 1);
  expect(await node.ports.bitcoin?.spend(coin)).toEqual({ txid, height: null });
  await cancelled(funded);
});

test('fault 290, bitcoin: one that shows once its coin is being taken back keeps that going', async () => {
  const { id, coin, bytes, txid, node, world } = await fundedElsewhere();
  const spender = () => world.bitcoin.spend(coin)?.txid;
  world.bitcoin.setFeeRate(70);
  await world.advance(day / 2);
  await eventually(() => spender() !== undefined, 'its coin is taken back');
  const first = spender();
  shows(coin, bytes);
  await eventually(async () => (await node.ports.bitcoin?.glance(txid)) !== null, 'somebody shows the funding');
  await new Promise((resolve) => setTimeout(resolve, 20 * options.pollMs));
  expect(node.at(id)).toBe('funding');
  world.bitcoin.setFeeRate(140);
  await world.advance(day / 8);
  await eventually(() => spender() !== first, 'it is taken back at a higher rate');
  await world.mine(6);
  await node.until(id, 'stopped', 'refunded');
});
