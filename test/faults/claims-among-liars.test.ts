import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { serveCore } from '../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../engine/sandbox/wire/http.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { accepted, deposit } from '../support/bitcoin-wallet.ts';
import { lyingEsplora, type LyingEsplora } from '../support/lying-esplora.ts';
import { payArkadeLightning, vhtlcTerms } from '../support/openings.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';

const credentials = { user: 'owner', password: 'of the tests' };
const stranger = openPayer('a stranger');

let scene: Scene;
let truth: HttpServer;
let liar: LyingEsplora;
let core: HttpServer;

beforeEach(async () => {
  scene = await openScene();
  truth = await serveEsplora(scene.world.bitcoin, 0);
  liar = await lyingEsplora(truth.url);
  core = await serveCore({ world: scene.world.bitcoin, port: 0, ...credentials, txindex: true, errorsAreOk: false });
  await scene.restart({ bitcoin: nodeBeforeLiar() });
});
afterEach(async () => {
  await scene.end();
  for (const server of [liar, truth, core]) await server.stop();
});

function nodeBeforeLiar(): BitcoinPort {
  const port = connectBitcoin({
    network: 'regtest',
    core: { url: core.url, ...credentials, ca: null },
    esplora: [liar.url],
    limit: 1_000,
    wall: scene.world.now,
    isOwn: () => false,
  });
  if (port === null) throw new Error('nothing is connected');
  return port;
}

/** That a coin is spent and buried by a stranger; with other bytes than such a spender's where it is `clumsy`. */
function callSpent(coin: Outpoint, how: 'clever' | 'clumsy'): void {
  const invented = (from: Outpoint): Uint8Array =>
    stranger.pay({
      from: [{ outpoint: from, amount: price }],
      to: [{ script: stranger.script, amount: price - 1_000n }],
    });
  const bytes = invented(how === 'clever' ? coin : { txid: '44'.repeat(32), vout: 0 });
  const { txid } = readTransaction(bytes);
  const status = { confirmed: true, block_height: 1, block_hash: scene.world.bitcoin.at(1)?.hash, block_time: 0 };
  liar.lie((path) => {
    if (path === `/tx/${coin.txid}/outspend/${coin.vout}`)
      return { status: 200, body: { spent: true, txid, vin: 0, status } };
    if (path === `/tx/${txid}/status`) return { status: 200, body: status };
    if (path === `/tx/${txid}/hex`) return { status: 200, body: toHex(bytes) };
    return path === `/tx/${txid}/merkle-proof`
      ? { status: 200, body: { block_height: 1, merkle: [], pos: 0 } }
      : undefined;
  });
}

test('fault 49: a claim on the chain goes on though a server calls the coin spent and buried', async () => {
  const { world } = scene;
  const { record, coin, release } = await payArkadeLightning(scene);
  world.operator.faults.unroll(outpointKey(coin));
  await world.mine(1);
  callSpent(coin, 'clever');
  release('settles');
  await scene.node.until(record.id, 'claiming');
  await core.stop();
  const { claimDelay } = vhtlcTerms(scene.node, record.id);
  await world.advance(claimDelay + 600);
  await eventually(() => world.bitcoin.spend(coin) !== undefined, 'our claim is on the chain');
  await world.mine(7);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const alone = scene.node.at(record.id);
  core = await serveCore({ world: world.bitcoin, port: core.port, ...credentials, txindex: true, errorsAreOk: false });
  await scene.node.until(record.id, 'claimed');
  const own = scene.node.store.transactions.of(record.id).map(({ txid, state }) => [txid, state]);
  expect({ alone, own, paused: scene.node.runtime.guard.paused() }).toEqual({
    alone: 'claiming',
    own: [[world.bitcoin.spend(coin)?.txid, 'final']],
    paused: null,
  });
});

test('fault 49: while sources contradict each other nothing opens, and only the owner hears by whom', async () => {
  const { world, client } = scene;
  const open = () =>
    client.createLightningArkade(scene.node, 50_000n, client.secret()).then(
      ({ status }) => status,
      (cause: Error) => cause.message,
    );
  const detail = () => scene.node.service.owner.status();
  const before = await open();
  const payer = openPayer('anybody');
  const coin = world.bitcoin.faucet(payer.script, price as never);
  await world.mine(1);
  callSpent(coin as Outpoint, 'clumsy');
  await scene.node.ports.bitcoin?.spend(coin as Outpoint);
  const after = await open();
  expect([before, after, JSON.stringify(await detail())]).toEqual([
    'pending',
    expect.stringMatching(
      /New swaps over Bitcoin wait: the sources of its chain do not agree now\. Try again later\.$/,
    ),
    expect.stringMatching(
      /The Bitcoin sources disagree: The Esplora server 127\.0\.0\.1:\d+ says that [0-9a-f]{64} spends .*, which it does not/,
    ),
  ]);
});

test('fault 358, bitcoin: a refund is sent though a server names ever new spenders and then hides them', async () => {
  const options = { bitcoinWallet: true, pollMs: 25 } as const;
  await scene.restart({ ...options, bitcoin: nodeBeforeLiar() });
  const { world, client, node } = scene;
  await deposit(scene, 400_000);
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
  await node.until(id, 'locked');
  const { txid = '' } = node.store.transactions.of(id).find(({ purpose }) => purpose === 'fund') ?? {};
  const coin = { txid, vout: 0 };
  const invented = new Map<string, { readonly bytes: Uint8Array; reads: number }>();
  liar.lie((path) => {
    if (path === `/tx/${coin.txid}/outspend/${coin.vout}`) {
      const amount = 90_000n - BigInt(invented.size);
      const bytes = stranger.pay({
        from: [{ outpoint: coin, amount: 100_000n }],
        to: [{ script: stranger.script, amount }],
      });
      const { txid: name } = readTransaction(bytes);
      invented.set(name, { bytes, reads: 0 });
      return { status: 200, body: { spent: true, txid: name, vin: 0, status: { confirmed: false } } };
    }
    const [, , name = '', what] = path.split('/');
    const spender = invented.get(name);
    if (spender === undefined) return undefined;
    if (what === 'hex') return { status: 200, body: toHex(spender.bytes) };
    return what === 'status' && ++spender.reads < 3
      ? { status: 200, body: { confirmed: false } }
      : { status: 404, body: 'Transaction not found' };
  });
  await world.mine(6);
  await world.advance(2 * 86_400);
  await eventually(() => world.bitcoin.spend(coin) !== undefined, 'the refund is on its way');
  await world.mine(6);
  await node.until(id, 'refunded');
});

/** A coin of the node's own wallet that somebody brought to the chain, and the delay of its way home. */
async function strandedCoin(): Promise<{ coin: Outpoint; delay: number }> {
  const { node, world } = scene;
  const [own] = await node.ports.arkade!.walletCoins();
  world.operator.faults.unroll(outpointKey(own!.outpoint));
  await world.mine(1);
  await eventually(() => (onRecord(own!.outpoint)?.mined ?? null) !== null, 'it is seen in its block');
  return { coin: own!.outpoint, delay: own!.under.exitDelay };
}

function onRecord(coin: Outpoint) {
  return scene.node.store.ownCoins.all().find(({ outpoint }) => outpointKey(outpoint) === outpointKey(coin));
}

test('fault 56: our own coin on the chain comes home though a server invents a spend of it', async () => {
  const { coin, delay } = await strandedCoin();
  callSpent(coin, 'clever');
  await scene.world.advance(delay + 600);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'it is on its way home');
});

test('fault 56: a coin of our own waits no longer because its block could not be proven for a moment', async () => {
  const { coin, delay } = await strandedCoin();
  const before = onRecord(coin)?.mined;
  await core.stop();
  await scene.world.advance(delay - 600);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  core = await serveCore({
    world: scene.world.bitcoin,
    port: core.port,
    ...credentials,
    txindex: true,
    errorsAreOk: false,
  });
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(onRecord(coin)?.mined).toEqual(before);
  await scene.world.advance(1_200);
  await eventually(() => scene.world.bitcoin.spend(coin) !== undefined, 'it is on its way home');
});

test('fault 59: a lone server that keeps denying the way home does not send the coin to the miners', async () => {
  await scene.restart({
    bitcoin: connectBitcoin({
      network: 'regtest',
      core: null,
      esplora: [liar.url],
      wall: scene.world.now,
      isOwn: () => false,
    }) as BitcoinPort,
  });
  const { world, node } = scene;
  const { coin, delay } = await strandedCoin();
  world.bitcoin.setFeeRate(400);
  liar.lie((path) =>
    path === '/tx'
      ? { status: 400, body: 'sendrawtransaction RPC error: {"code":-26,"message":"txn-mempool-conflict"}' }
      : undefined,
  );
  await world.advance(delay + 600);
  const fees = (): bigint[] => {
    const job = [...node.runtime.workingSet.all()].find(({ machine }) => machine.name === 'exit-arkade');
    const sent =
      job === undefined
        ? []
        : node.store.transactions.of(job.row.id).map(({ txid }) => node.store.transactions.bytes(txid));
    return sent.flatMap((bytes) =>
      bytes === null ? [] : [2_500_000n - readTransaction(bytes).outputs.reduce((sum, { amount }) => sum + amount, 0n)],
    );
  };
  await eventually(() => fees().length >= 2, 'it pays more');
  for (let blocks = 0; blocks < 6; blocks++) {
    world.bitcoin.include([]);
    await node.runtime.wake();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  expect([fees().length > 1, fees().filter((fee) => fee > 80_000n), world.bitcoin.spend(coin)]).toEqual([
    true,
    [],
    undefined,
  ]);
});
