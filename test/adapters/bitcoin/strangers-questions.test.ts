import { randomBytes } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectBitcoin } from '../../../engine/adapters/bitcoin/connect.ts';
import { readTransaction as readRaw } from '../../../engine/adapters/bitcoin/raw.ts';
import { broadcast, readTransaction } from '../../../engine/boltz/chain.ts';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { MusigHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { newReading, readHtlc } from '../../../engine/runtime/networks/onchain/read-htlc.ts';
import { serveCore } from '../../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../../engine/sandbox/wire/http.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import { openBitcoinWorld } from '../../ports/bitcoin-controls.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

const credentials = { user: 'user', password: 'password' };
const payer = openPayer('an HTLC');
const elsewhere = openPayer('elsewhere');

let world: BitcoinWorld;
let stops: (() => unknown)[];
/** What the server behind the port was asked for: methods of Core, paths of Esplora. */
let calls: string[];

/** Hands everything on to a server, and notes what it was. */
async function counted(server: HttpServer, namesOf: (path: string, body: string) => string[]): Promise<string> {
  const proxy: Server = createServer((from, to) => {
    const parts: Buffer[] = [];
    from.on('data', (part: Buffer) => parts.push(part));
    from.on('end', () => {
      const body = Buffer.concat(parts);
      calls.push(...namesOf(from.url ?? '', body.toString()));
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
    () => proxy.close().closeAllConnections(),
    () => server.stop(),
  );
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** Over a Core that has looked at its chain once, without an index of transactions. */
async function overCore(): Promise<BitcoinPort> {
  const server = await serveCore({ world, port: 0, ...credentials, txindex: false, errorsAreOk: false });
  const url = await counted(server, (_, body) =>
    [JSON.parse(body) as { method: string } | { method: string }[]].flat().map(({ method }) => method),
  );
  const port = connectBitcoin({ network: 'regtest', core: { url, ...credentials, ca: null }, esplora: [] });
  if (port === null) throw new Error('nothing is connected');
  await port.coins([payer.script]);
  calls = [];
  return port;
}

async function overEsplora(): Promise<BitcoinPort> {
  const url = await counted(await serveEsplora(world, 0), (path) => [path]);
  const port = connectBitcoin({ network: 'regtest', core: null, esplora: [url] });
  if (port === null) throw new Error('nothing is connected');
  await port.tip();
  calls = [];
  return port;
}

beforeEach(() => {
  ({ world } = openBitcoinWorld());
  world.mine(60, elsewhere.script);
  stops = [];
  calls = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
});

const door = (bitcoin: BitcoinPort) =>
  ({ context: { runtime: { ports: { bitcoin } }, networks: { bitcoin: () => ({ state: 'away' }) } } }) as never;

/** A transaction of `count` inputs that nobody ever made. */
function madeUp(count: number): string {
  const input = () => `${randomBytes(32).toString('hex')}0000000000ffffffff`;
  const inputs = Array.from({ length: count }, input).join('');
  const script = `0014${'11'.repeat(20)}`;
  return `02000000${count.toString(16).padStart(2, '0')}${inputs}01${'e803000000000000'}16${script}00000000`;
}

const reading = ['getblock', 'getrawmempool'];

test('fault 179, bitcoin: no block and no mempool is read for a transaction that a stranger makes up', async () => {
  const port = await overCore();
  for (let i = 0; i < 5; i++)
    expect(await readTransaction(door(port), toHex(randomBytes(32)))).toMatchObject({ refusal: 'not-found' });
  expect(calls.filter((call) => reading.includes(call))).toEqual([]);
});

test('fault 179, bitcoin: no block is read for the inputs of a transaction that a stranger sends', async () => {
  const port = await overCore();
  expect(await broadcast(door(port), { hex: madeUp(20) })).toMatchObject({
    sentence: expect.stringContaining('bad-txns-inputs-missingorspent'),
  });
  expect(calls).toEqual(['sendrawtransaction']);
});

test('fault 179, bitcoin: an Esplora server is sent that transaction, and asked for no input of it', async () => {
  const port = await overEsplora();
  expect(await broadcast(door(port), { hex: madeUp(20) })).toMatchObject({
    sentence: expect.stringContaining('bad-txns-inputs-missingorspent'),
  });
  expect(calls.filter((path) => path.includes('outspend'))).toEqual([]);
});

test('fault 179, bitcoin: a coin that lies at a script of ours is shown without an index, in a block too', async () => {
  const port = await overCore();
  const coin = world.faucet(payer.script, sats(100_000));
  if (coin === null) throw new Error('the faucet has no coin');
  expect(await port.glance(coin.txid)).toMatchObject({ height: null });
  world.mine(1);
  await port.coins([payer.script]);
  const shown = await port.glance(coin.txid);
  expect(shown?.height).toBe(world.tip().height);
  expect(readRaw(shown?.bytes ?? new Uint8Array()).txid).toBe(coin.txid);
});

test('fault 301, bitcoin: no block and no mempool is read for what a provider says paid its HTLC', async () => {
  const port = await overCore();
  const terms: MusigHtlcTerms = {
    ...{ form: 'musig', provider: 'claimer', sizeGuard: false, refundHeight: 1_000 },
    hash: hash160Of(asPreimage(new Uint8Array(32).fill(7))),
    claimer: publicKeyOf(new Uint8Array(32).fill(1)),
    refunder: publicKeyOf(new Uint8Array(32).fill(2)),
  };
  const htlc = newReading(terms, () => []);
  const tip = await port.tip();
  calls = [];
  for (let i = 0; i < 5; i++) {
    htlc.paidIn = [toHex(randomBytes(32))];
    expect(await readHtlc(htlc, [], { bitcoin: port, tip })).toEqual([]);
  }
  expect(calls.filter((call) => reading.includes(call))).toEqual([]);
});
