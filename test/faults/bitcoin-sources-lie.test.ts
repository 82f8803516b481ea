import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClock } from '../../engine/runtime/clock.ts';
import { unix } from '../../engine/domain/time.ts';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import type { BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { serveCore } from '../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../engine/sandbox/wire/http.ts';
import { openBitcoinWorld } from '../ports/bitcoin-controls.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { lyingEsplora, type Lie, type LyingEsplora } from '../support/lying-esplora.ts';

const credentials = { user: 'owner', password: 'of the tests' };
const patience = { timeout: 60_000, interval: 20 };

let world: BitcoinWorld;
let honest: HttpServer;
const started: HttpServer[] = [];

beforeEach(async () => {
  ({ world } = openBitcoinWorld());
  honest = await start(serveEsplora(world, 0));
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

async function start<S extends HttpServer>(starting: Promise<S>): Promise<S> {
  const server = await starting;
  started.push(server);
  return server;
}

const liarOnWorld = (): Promise<LyingEsplora> => start(lyingEsplora(honest.url));
const nodeOnWorld = (port = 0): Promise<HttpServer> =>
  start(serveCore({ world, port, ...credentials, txindex: true, errorsAreOk: false }));

async function stop(server: HttpServer): Promise<void> {
  started.splice(started.indexOf(server), 1);
  await server.stop();
}

/** Every Esplora server of these tests is somebody else's, whatever its address. */
function over(node: HttpServer | null, esplora: readonly { url: string }[]): BitcoinPort {
  const port = connectBitcoin({
    network: 'regtest',
    core: node === null ? null : { url: node.url, ...credentials, ca: null },
    esplora: esplora.map(({ url }) => url),
    limit: 500,
    wall: () => world.clock.now(),
    isOwn: () => false,
  });
  if (port === null) throw new Error('nothing is connected');
  return port;
}

/** The true chain, with a thousand blocks more that nobody mined. */
const farAhead: Lie = async (path, truth) => {
  if (!path.startsWith('/blocks')) return undefined;
  const { status, text } = await truth();
  if (status !== 200) return undefined;
  const blocks = (JSON.parse(text) as { height: number; id: string; mediantime: number }[]).map((block, i) => ({
    ...block,
    id: `${'0'.repeat(60)}${String(i).padStart(4, '1')}`,
    height: block.height + 1_000,
    mediantime: block.mediantime + 600_000,
  }));
  return { status, body: blocks };
};

/** That a coin is spent and buried, by this transaction. */
function spentBy(coin: Outpoint, bytes: Uint8Array, height: number): Lie {
  const { txid } = readTransaction(bytes);
  const status = { confirmed: true, block_height: height, block_hash: world.at(height)?.hash, block_time: 0 };
  return (path) => {
    if (path === `/tx/${coin.txid}/outspend/${coin.vout}`)
      return { status: 200, body: { spent: true, txid, vin: 0, status } };
    if (path === `/tx/${txid}/status`) return { status: 200, body: status };
    if (path === `/tx/${txid}/hex`) return { status: 200, body: toHex(bytes) };
    if (path === `/tx/${txid}/merkle-proof`)
      return { status: 200, body: { block_height: height, merkle: ['11'.repeat(32)], pos: 1 } };
    return undefined;
  };
}

/** A coin in a block, and two transactions that spend it. */
function coinOf(name: string): { coin: Outpoint; spend: Uint8Array; rival: Uint8Array; script: Uint8Array } {
  const payer = openPayer(name);
  const coin = world.faucet(payer.script, sats(100_000));
  if (coin === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const paying = (fee: bigint): Uint8Array =>
    payer.pay({ from: [{ outpoint: coin, amount: 100_000n }], to: [{ script: payer.script, amount: 100_000n - fee }] });
  return { coin, spend: paying(1_000n), rival: paying(2_000n), script: payer.script };
}

const nobodys = { txid: '33'.repeat(32), vout: 0 };
const heightOf = (port: BitcoinPort): Promise<number | string> =>
  port.tip().then(
    ({ height }) => height,
    ({ code }: { code: string }) => code,
  );

test('fault 49: a server far ahead behind a healthy node never has the clock, and is named', async () => {
  const [node, liar] = [await nodeOnWorld(), await liarOnWorld()];
  liar.lie(farAhead);
  const port = over(node, [liar]);
  const truth = world.tip().height;
  // What the node does not know is asked of the other one: its tip is read with that.
  const answers = [
    await heightOf(port),
    await port.transaction(nobodys.txid),
    await port.spend(nobodys),
    await heightOf(port),
  ];
  await vi.waitFor(
    () =>
      expect(port.disagreement()).toMatch(
        /^The Bitcoin sources disagree: The Esplora server 127\.0\.0\.1:\d+ is not believed: /,
      ),
    patience,
  );
  await stop(node);
  const alone = await heightOf(port);
  await nodeOnWorld(node.port);
  world.mine(1);
  expect([
    answers,
    alone,
    await vi.waitFor(async () => {
      const height = await heightOf(port);
      if (typeof height === 'string') throw new Error(height);
      return height;
    }, patience),
  ]).toEqual([[truth, null, null, truth], expect.stringMatching(/^bitcoin-/), truth + 1]);
});

test('fault 49: while the node is away the clock follows linked headers, and nothing is confirmed', async () => {
  const [node, server] = [await nodeOnWorld(), await liarOnWorld()];
  const port = over(node, [server]);
  const { coin, spend } = coinOf('away');
  const before = await heightOf(port);
  await stop(node);
  world.submit(spend);
  world.mine(7);
  const during = await heightOf(port);
  expect([
    before,
    during,
    await port.spend(coin),
    (await port.transaction(readTransaction(spend).txid))?.height,
  ]).toEqual([world.tip().height - 7, world.tip().height, { txid: readTransaction(spend).txid, height: null }, null]);
  await nodeOnWorld(node.port);
  await vi.waitFor(
    async () =>
      expect(await port.spend(coin)).toEqual({ txid: readTransaction(spend).txid, height: world.tip().height - 6 }),
    patience,
  );
});

test('fault 49: "spent and buried" needs the bytes of the spender and its place in a block of the node', async () => {
  const [node, liar] = [await nodeOnWorld(), await liarOnWorld()];
  const port = over(node, [liar]);
  const { coin, spend, rival } = coinOf('buried');
  world.mine(10);
  liar.lie(spentBy(coin, coinOf('another').spend, world.tip().height - 8));
  const noSpend = await port.spend(coin);
  const named = port.disagreement();
  liar.lie(spentBy(coin, rival, world.tip().height - 8));
  const unproven = await port.spend(coin);
  world.submit(spend);
  world.mine(1);
  expect({ noSpend, named, unproven, true: await port.spend(coin) }).toEqual({
    noSpend: null,
    named: expect.stringMatching(/which it does not\. Find out which one is wrong/),
    unproven: { txid: readTransaction(rival).txid, height: null },
    true: { txid: readTransaction(spend).txid, height: world.tip().height },
  });
});

test('fault 49: of two servers a silent one is no consent, and one that denies does not outvote a proof', async () => {
  const [one, other] = [await liarOnWorld(), await liarOnWorld()];
  const port = over(null, [one, other]);
  const { coin, spend } = coinOf('two');
  await port.tip();
  world.submit(spend);
  world.mine(6);
  const { txid } = readTransaction(spend);
  const mined = { txid, height: world.tip().height - 5 };
  one.lie((path) => (path.includes('/outspend/') ? { status: 200, body: { spent: false } } : undefined));
  const denied = await port.spend(coin);
  other.lie(() => 'silent');
  one.lie(null);
  await vi.waitFor(async () => expect(await port.spend(coin)).toEqual({ txid, height: null }), patience);
  other.lie(null);
  await vi.waitFor(async () => expect(await port.spend(coin)).toEqual(mined), { timeout: 60_000, interval: 100 });
  expect(denied).toEqual(mined);
});

test('fault 49: of two servers the one far ahead has neither the first word nor the last', async () => {
  const [liar, other] = [await liarOnWorld(), await liarOnWorld()];
  // Real headers, under heights that are not theirs.
  liar.lie(async (path, truth) => {
    const page = /^\/blocks(?:\/(\d+))?$/.exec(path);
    if (page === null) return undefined;
    const at = page[1] === undefined ? '' : `/${Number(page[1]) - 1_000}`;
    const text = at === '' ? (await truth()).text : await (await fetch(`${honest.url}/blocks${at}`)).text();
    return {
      status: 200,
      body: (JSON.parse(text) as { height: number }[]).map((block) => ({ ...block, height: block.height + 1_000 })),
    };
  });
  other.lie(() => 'silent');
  const port = over(null, [liar, other]);
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const clock = createClock({
    wall: () => unix(world.clock.now()),
    ports: { arkade: null, lightning: null, bitcoin: port },
    pollMs: 1_000_000,
    log: quiet,
  });
  await clock.refresh();
  const first = clock.now().bitcoin.height;
  other.lie(null);
  await vi.waitFor(async () => expect(await heightOf(port)).toBe(world.tip().height), {
    timeout: 60_000,
    interval: 100,
  });
  await clock.refresh();
  const mended = clock.now().bitcoin.height;
  world.mine(2);
  expect([first, mended, await heightOf(port), clock.now().bitcoin.doubt]).toEqual([
    world.tip().height + 998,
    world.tip().height - 2,
    world.tip().height,
    expect.stringMatching(/^The Bitcoin sources disagree: /),
  ]);
});

test('fault 49: a single server counts, and yet no height that its headers do not link to', async () => {
  const server = await liarOnWorld();
  const port = over(null, [server]);
  const { coin, spend } = coinOf('single');
  const truth = await heightOf(port);
  server.lie(farAhead);
  const ahead = await heightOf(port);
  server.lie(null);
  world.submit(spend);
  world.mine(1);
  expect([truth, ahead, await heightOf(port), await port.spend(coin), port.disagreement()]).toEqual([
    world.tip().height - 1,
    'bitcoin-unbelieved',
    world.tip().height,
    { txid: readTransaction(spend).txid, height: world.tip().height },
    null,
  ]);
});

test('fault 49: what is to be sent goes to every source, and no false yes or no of one ends it', async () => {
  const [node, liar, other] = [await nodeOnWorld(), await liarOnWorld(), await liarOnWorld()];
  const { spend } = coinOf('sent');
  const hex = toHex(spend);
  const lies: Lie[] = [
    (path) => (path === '/tx' ? { status: 200, body: readTransaction(spend).txid } : undefined),
    (path) =>
      path === '/tx'
        ? { status: 400, body: 'sendrawtransaction RPC error: {"code":-26,"message":"bad-txns"}' }
        : undefined,
  ];
  const answers: string[] = [];
  for (const lie of lies) {
    liar.lie(lie);
    answers.push((await over(null, [liar, other]).broadcast(spend)).is);
  }
  const reached = [
    other.handed.every((text) => fromHex(text).length === spend.length && text === hex),
    world.transaction(readTransaction(spend).txid) !== undefined,
  ];
  other.lie(() => 'silent');
  const alone = (await over(null, [liar, other]).broadcast(spend)).is;
  await stop(node);
  expect({ answers, reached, alone, withoutNode: (await over(node, [liar]).broadcast(spend)).is }).toEqual({
    answers: ['accepted', 'accepted'],
    reached: [true, true],
    alone: 'later',
    withoutNode: 'later',
  });
});
