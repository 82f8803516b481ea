import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectBitcoin } from '../../../engine/adapters/bitcoin/connect.ts';
import { readTransaction } from '../../../engine/adapters/bitcoin/raw.ts';
import { createRaws } from '../../../engine/boltz/raws.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import type { OnchainWatch } from '../../../engine/legs/onchain/watch.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { htlcWatching } from '../../../engine/runtime/networks/onchain/watch.ts';
import { serveCore } from '../../../engine/sandbox/wire/core.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import type { Event } from '../../../engine/swap/machine.ts';
import { openBitcoinWorld } from '../../ports/bitcoin-controls.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';
import { eventually, patience } from './patience.ts';
import { clientPublic, clientSpend, elsewhere, keyOf, scriptOf, termsOf } from './support.ts';

vi.setConfig(patience);

const credentials = { user: 'user', password: 'password' };
const payer = openPayer('a stranger');
const ours = publicKeyOf(keyOf('ours'));
const dust = sats(1_000);

let world: BitcoinWorld;
let stops: (() => unknown)[];
/** What the node was asked, one after the other: the method, and its first parameter. */
let calls: readonly { method: string; params: readonly unknown[] }[];
let people = 0;

beforeEach(() => {
  ({ world } = openBitcoinWorld());
  world.mine(200, elsewhere);
  stops = [];
  calls = [];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** A Bitcoin Core without indexes, as a node that has just begun sees it. */
async function overCore(): Promise<BitcoinPort> {
  const server = await serveCore({ world, port: 0, ...credentials, txindex: false });
  const proxy = createServer((from, to) => {
    const parts: Buffer[] = [];
    from.on('data', (part: Buffer) => parts.push(part));
    from.on('end', () => {
      const body = Buffer.concat(parts);
      const question = JSON.parse(body.toString()) as (typeof calls)[number] | typeof calls;
      calls = [...calls, ...[question].flat()];
      const { method = 'GET', headers, url } = from;
      const on = request(new URL(url ?? '/', server.url), { method, headers }, (reply) => {
        to.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(to);
      });
      on.end(body);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  stops.push(
    () => server.stop(),
    () => proxy.close().closeAllConnections(),
  );
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const port = connectBitcoin({ network: 'regtest', core: { url, ...credentials, ca: null }, esplora: [] });
  if (port === null) throw new Error('nothing is connected');
  return port;
}

const blocks = () => calls.flatMap(({ method, params }) => (method === 'getblock' ? [params[0]] : []));
const blocksRead = () => blocks().length;

/** An HTLC that the client claims and we refund. */
function openHtlc(coins: OnchainWatch['coins'] = []): OnchainWatch {
  const terms = termsOf(clientPublic, ours, 1_800_000_000 + people++);
  const agreed = { least: sats(50_000), most: sats(50_000) };
  return { on: 'htlc', terms, script: scriptOf(terms), since: world.tip().height, agreed, coins };
}

/** One transaction of a stranger's that pays all of these, and how it takes them back again before any block. */
function payAll(htlcs: readonly OnchainWatch[]) {
  const coin = world.faucet(payer.script, sats(200_000));
  if (coin === null) throw new Error('the faucet has no coin');
  const from = [{ outpoint: coin, amount: 200_000n }];
  const to = htlcs.map(({ script }) => ({ script, amount: dust }));
  const change = { script: payer.script, amount: 180_000n - BigInt(to.length) * dust };
  const bytes = payer.pay({ from, to: [...to, change] });
  world.submit(bytes);
  return {
    coins: htlcs.map((_, vout): Outpoint => ({ txid: readTransaction(bytes).txid, vout })),
    replace: () => world.submit(payer.pay({ from, to: [{ script: payer.script, amount: 100_000n }] })),
  };
}

function payOurs({ script }: OnchainWatch): Outpoint {
  const coin = world.faucet(script, sats(50_000));
  if (coin === null) throw new Error('the faucet has no coin');
  return coin;
}

const named = (outpoint: Outpoint, amount = dust) => [{ outpoint, amount }];
const paidOf = ({ script, since }: OnchainWatch) => ({ script, since });

/** The watch of a node over this port, and what its swaps were told of last. */
function watchOver(bitcoin: BitcoinPort) {
  const news = new Map<string, Event & { is: 'htlc.seen' }>();
  const watch = htlcWatching.open({
    ports: { arkade: null, lightning: null, bitcoin },
    store: null as never,
    evm: null as never,
    taken: null as never,
    deliver: (id, event) => void news.set(id, event as Event & { is: 'htlc.seen' }),
    onFailure: (_, cause) => expect.unreachable(String(cause)),
    pollMs: 2,
    wall: () => unix(world.clock.now()),
  });
  if (watch === null) throw new Error('it is watched nowhere');
  stops.push(() => watch.stop());
  return { watch, news };
}

test('fault 264, bitcoin: strangers’ coins that leave the mempool have no block read in a look', async () => {
  const { watch, news } = watchOver(await overCore());
  const lock = openHtlc();
  const coin = payOurs(lock);
  world.mine(1);
  const strangers = Array.from({ length: 50 }, () => openHtlc());
  watch.add('ours', { ...lock, coins: named(coin, sats(50_000)) });
  for (const [i, htlc] of strangers.entries()) watch.add(`theirs ${i}`, htlc);
  watch.start();
  const { coins, replace } = payAll(strangers);
  await eventually(() => strangers.every((_, i) => news.get(`theirs ${i}`)?.coins.length === 1), 'all wait');
  for (const [i, htlc] of strangers.entries()) {
    watch.remove(`theirs ${i}`, htlc);
    watch.add(`theirs ${i}`, { ...htlc, coins: named(coins[i] as Outpoint) });
  }
  calls = [];
  replace();
  world.submit(clientSpend(lock.terms, { ...coin, amount: sats(50_000) }, { claim: true }).bytes);
  world.mine(1);
  await eventually(() => strangers.every((_, i) => news.get(`theirs ${i}`)?.coins.length === 0), 'all are gone');
  await eventually(() => news.get('ours')?.coins[0]?.spend?.height === world.tip().height, 'our spend is mined');
  expect(news.get('ours')?.coins[0]?.spend).toMatchObject({ by: 'claim' });
  // Ours is read again at each look until the news of it is out.
  expect(new Set(blocks())).toEqual(new Set([world.tip().hash]));
});

test('spends of ten coins have the mempool listed once, with the coins', async () => {
  const htlcs = Array.from({ length: 10 }, () => openHtlc());
  const coins = htlcs.map(payOurs);
  world.mine(1);
  const port = await overCore();
  await port.coins(
    htlcs.map(({ script }) => script),
    htlcs[0]?.since,
  );
  const [first, second] = [coins[0] as Outpoint, coins[1] as Outpoint];
  const claims = [htlcs[0], htlcs[1]].map((htlc, i) =>
    clientSpend((htlc as OnchainWatch).terms, { ...[first, second][i], amount: sats(50_000) } as never, {
      claim: true,
    }),
  );
  world.submit((claims[0] as { bytes: Uint8Array }).bytes);
  world.mine(1);
  world.submit((claims[1] as { bytes: Uint8Array }).bytes);
  calls = [];
  const spends = await Promise.all(
    coins.map((coin, i) => port.spend(coin, undefined, paidOf(htlcs[i] as OnchainWatch))),
  );
  expect(spends.map((spend) => spend?.height)).toEqual([
    world.tip().height,
    null,
    ...htlcs.slice(2).map(() => undefined),
  ]);
  expect(calls.filter(({ method }) => method === 'getrawmempool')).toEqual([]);
});

test('fault 264, bitcoin: after a start no block is read for named coins that are gone', async () => {
  const strangers = Array.from({ length: 10 }, () => openHtlc());
  const { coins, replace } = payAll(strangers);
  replace();
  world.mine(50);
  const port = await overCore();
  await port.coins(
    strangers.map(({ script }) => script),
    strangers[0]?.since,
  );
  calls = [];
  for (const [i, htlc] of strangers.entries())
    expect(await port.spend(coins[i] as Outpoint, undefined, paidOf(htlc))).toBeNull();
  expect(blocksRead()).toBe(0);
});

test('fault 264, bitcoin: a coin that came and was mined and spent unseen is found by its name', async () => {
  const [early, late] = [openHtlc(), openHtlc()];
  const claimed = (htlc: OnchainWatch): Outpoint => {
    const coin = payOurs(htlc);
    world.mine(1);
    world.submit(clientSpend(htlc.terms, { ...coin, amount: sats(50_000) }, { claim: true }).bytes);
    world.mine(60);
    return coin;
  };
  const before = claimed(early);
  const port = await overCore();
  await port.coins([early.script, late.script], early.since);
  const between = claimed(late);
  const { height } = world.tip();
  expect((await port.spend(before, undefined, paidOf(early)))?.height).toBe(height - 120);
  expect((await port.spend(between, undefined, paidOf(late)))?.height).toBe(height - 59);
  // Where nobody listed the script, its blocks are read as before, and none that is older than it.
  const other = await overCore();
  const paid = paidOf({ ...late, since: height - 60 });
  await other.tip();
  calls = [];
  expect(await other.spend(between, undefined, paid)).toBeNull();
  expect((await other.spend(between, undefined, paid))?.height).toBe(height - 59);
  expect(await other.spend({ txid: 'ab'.repeat(32), vout: 0 }, undefined, paid)).toBeNull();
  expect(await other.spend({ txid: 'ab'.repeat(32), vout: 0 }, undefined, paid)).toBeNull();
  expect(await other.spend({ txid: 'ab'.repeat(32), vout: 0 }, undefined, paid)).toBeNull();
  expect(blocksRead()).toBe(2 * 61);
});

test('fault 264, bitcoin: coins and transactions that are made up have the same blocks read once', async () => {
  const htlc = openHtlc();
  const coin = payOurs(htlc);
  world.mine(20);
  const claim = clientSpend(htlc.terms, { ...coin, amount: sats(50_000) }, { claim: true });
  world.submit(claim.bytes);
  world.mine(50);
  const port = await overCore();
  await port.tip();
  const madeUp = Array.from({ length: 40 }, (_, i) => (i + 1).toString(16).padStart(64, '0'));
  const look = async () => {
    calls = [];
    const [spend, ...others] = await Promise.all([
      port.spend(coin),
      ...madeUp.flatMap((txid) => [port.spend({ txid, vout: 0 }), port.transaction(txid)]),
    ]);
    expect(others.filter((one) => one !== null)).toEqual([]);
    return spend;
  };
  expect([await look(), blocksRead()]).toEqual([null, 36]);
  expect([await look(), blocksRead()]).toEqual([{ txid: claim.txid, height: world.tip().height - 49 }, 36]);
});

test('fault 264, bitcoin: no block is read for a client that asks for a swap whose coin it replaced', async () => {
  const bitcoin = await overCore();
  const htlc = openHtlc();
  await bitcoin.coins([htlc.script], htlc.since);
  const { coins, replace } = payAll([htlc]);
  replace();
  calls = [];
  const raws = createRaws({ ports: { bitcoin }, store: { transactions: { bytes: () => null } } } as never);
  for (let i = 0; i < 3; i++) expect(await raws.of(coins[0]?.txid ?? '')).toBeNull();
  expect(calls.filter(({ method }) => method === 'getblock' || method === 'getrawmempool')).toEqual([]);
});
