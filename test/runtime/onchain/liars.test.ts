import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectBitcoin } from '../../../engine/adapters/bitcoin/connect.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import type { HtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { newTx, readTx } from '../../../engine/legs/psbt.ts';
import { newReading, name, readHtlc } from '../../../engine/runtime/networks/onchain/read-htlc.ts';
import { showing, showsSecret } from '../../../engine/runtime/networks/onchain/transactions.ts';
import { serveEsplora } from '../../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../../engine/sandbox/wire/http.ts';
import { lyingEsplora, type LyingEsplora } from '../../support/lying-esplora.ts';
import { newWorld, ours } from './scene.ts';
import { clientPublic, clientSpend, scriptOf, secret, termsOf } from './support.ts';

const amount = sats(50_000);
let world: ReturnType<typeof newWorld>;
let truth: HttpServer;
let liar: LyingEsplora;
let terms: HtlcTerms;
let coin: Outpoint;

beforeEach(async () => {
  world = newWorld();
  truth = await serveEsplora(world, 0);
  liar = await lyingEsplora(truth.url);
  terms = termsOf(clientPublic, ours, world.tip().mtp + 3_600);
  const paid = world.faucet(scriptOf(terms), amount);
  if (paid === null) throw new Error('the faucet has no coin');
  coin = paid;
  world.mine(1);
});
afterEach(async () => {
  for (const server of [liar, truth]) await server.stop();
});

/** Servers of others, the liar first. */
function sources(): BitcoinPort {
  const port = connectBitcoin({
    network: 'regtest',
    core: null,
    esplora: [liar.url, truth.url],
    wall: world.clock.now,
    isOwn: () => false,
  });
  if (port === null) throw new Error('nothing is connected');
  return port;
}

/** The same transaction, with another witness: its id does not tell. */
function withoutWitness(bytes: Uint8Array): Uint8Array {
  const [from, to] = [readTx(bytes), newTx({ version: 2, lockTime: 0 })];
  const { txid, index, sequence } = from?.getInput(0) ?? {};
  const { script, amount: value } = from?.getOutput(0) ?? {};
  if (txid === undefined || index === undefined || sequence === undefined || !script || value === undefined)
    throw new Error('it is no claim');
  to.addInput({ txid, index, sequence });
  to.addOutput({ script, amount: value });
  to.updateInput(0, { finalScriptWitness: [new Uint8Array(64)] }, true);
  return to.toBytes(true, true);
}

async function look() {
  const bitcoin = sources();
  const reading = newReading(terms, () => []);
  name(reading, [{ outpoint: coin, amount }]);
  const tip = await bitcoin.tip();
  return readHtlc(reading, await bitcoin.coins([scriptOf(terms)]), { bitcoin, tip });
}

test.each(['in the mempool', 'in a block'])(
  'fault 49, bitcoin: a server that shows a claim %s without its secret hides it from nobody',
  async (where) => {
    const claim = clientSpend(terms, { ...coin, amount }, { claim: true });
    world.submit(claim.bytes);
    if (where === 'in a block') world.mine(1);
    const other = withoutWitness(claim.bytes);
    expect(readTx(other)?.id).toBe(claim.txid);
    liar.lie((path) => (path === `/tx/${claim.txid}/hex` ? { status: 200, body: toHex(other) } : undefined));
    const [it] = await look();
    expect(it?.spend).toMatchObject({ txid: claim.txid, by: 'claim', preimage: secret, bytes: claim.bytes });
    expect(await showsSecret({ txid: claim.txid, height: null }, { hash: terms.hash, coin, bitcoin: sources() })).toBe(
      true,
    );
  },
);

test('fault 49, bitcoin: a server that goes on listing a coin hides its claim from nobody', async () => {
  const before = await (await fetch(`${truth.url}/tx/${coin.txid}/outspend/0`)).text();
  const listed = await sources().coins([scriptOf(terms)]);
  expect(listed.length).toBe(1);
  const utxos: Record<string, string> = {};
  liar.lie(async (path, honest) => {
    if (path.endsWith('/utxo')) {
      utxos[path] ??= (await honest()).text;
      return { status: 200, body: utxos[path] };
    }
    return path.includes('/outspend/') ? { status: 200, body: before } : undefined;
  });
  await look();
  const claim = clientSpend(terms, { ...coin, amount }, { claim: true });
  world.submit(claim.bytes);
  world.mine(1);
  const [it] = await look();
  expect([(await sources().coins([scriptOf(terms)])).length, it?.spend?.by]).toEqual([1, 'claim']);
});

test('fault 49, bitcoin: an invented spend that is shown once and then no more holds up no refund', async () => {
  const invented = withoutWitness(clientSpend(terms, { ...coin, amount }, { claim: true, rate: 9 }).bytes);
  const { id = '' } = readTx(invented) ?? {};
  let isShown = true;
  liar.lie((path) => {
    if (path === `/tx/${coin.txid}/outspend/${coin.vout}`)
      return { status: 200, body: { spent: true, txid: id, vin: 0, status: { confirmed: false } } };
    if (isShown && path === `/tx/${id}/status`) return { status: 200, body: { confirmed: false } };
    if (path !== `/tx/${id}/hex`) return undefined;
    return isShown ? { status: 200, body: toHex(invented) } : { status: 404, body: 'Transaction not found' };
  });
  const bitcoin = sources();
  const spend = () => bitcoin.spend(coin, showing(terms.hash, coin));
  const before = await spend();
  isShown = false;
  expect([before, await spend()]).toEqual([{ txid: id, height: null, fits: false }, null]);
  // What shows its secret is found behind it all the same.
  const claim = clientSpend(terms, { ...coin, amount }, { claim: true });
  world.submit(claim.bytes);
  expect(await spend()).toEqual({ txid: claim.txid, height: null, fits: true });
});

test('fault 358, bitcoin: an invented spend that is hidden once it was named holds up no refund', async () => {
  const reads = new Map<string, number>();
  let invented: Uint8Array = new Uint8Array();
  let rate = 9;
  liar.lie((path) => {
    if (path === `/tx/${coin.txid}/outspend/${coin.vout}`) {
      invented = withoutWitness(clientSpend(terms, { ...coin, amount }, { claim: true, rate: ++rate }).bytes);
      const { id = '' } = readTx(invented) ?? {};
      return { status: 200, body: { spent: true, txid: id, vin: 0, status: { confirmed: false } } };
    }
    const { id = '' } = readTx(invented) ?? {};
    if (path === `/tx/${id}/hex`) return { status: 200, body: toHex(invented) };
    if (path !== `/tx/${id}/status`) return undefined;
    reads.set(id, (reads.get(id) ?? 0) + 1);
    return (reads.get(id) ?? 0) < 3
      ? { status: 200, body: { confirmed: false } }
      : { status: 404, body: 'Transaction not found' };
  });
  const bitcoin = sources();
  const shows = async () => {
    const spend = await bitcoin.spend(coin, showing(terms.hash, coin));
    return spend === null ? null : showsSecret(spend, { hash: terms.hash, coin, bitcoin });
  };
  expect([await shows(), await shows(), reads.size]).toEqual([false, false, 2]);
  // One that does show it holds up the refund, whoever hides it after that.
  const claim = clientSpend(terms, { ...coin, amount }, { claim: true });
  world.submit(claim.bytes);
  expect(await shows()).toBe(true);
});

test('fault 49, bitcoin: a server that invents a spend ends nothing: what it shows opens no leaf', async () => {
  const invented = withoutWitness(clientSpend(terms, { ...coin, amount }, { claim: true, rate: 9 }).bytes);
  const { id = '' } = readTx(invented) ?? {};
  const status = { confirmed: true, block_height: 1, block_hash: world.at(1)?.hash, block_time: 0 };
  liar.lie((path) => {
    if (path === `/tx/${coin.txid}/outspend/${coin.vout}`)
      return { status: 200, body: { spent: true, txid: id, vin: 0, status } };
    if (path === `/tx/${id}/status`) return { status: 200, body: status };
    return path === `/tx/${id}/hex` ? { status: 200, body: toHex(invented) } : undefined;
  });
  const [it] = await look();
  expect(it?.spend).toEqual({ txid: id, height: null, by: 'unknown' });
  // Nor does it hide the claim that another server has in its mempool.
  const claim = clientSpend(terms, { ...coin, amount }, { claim: true });
  world.submit(claim.bytes);
  const [next] = await look();
  expect(next?.spend).toMatchObject({ txid: claim.txid, by: 'claim', preimage: secret });
});

/** Another funding of the same HTLC, in the mempool. */
function waitingFunding(): Outpoint {
  const paid = world.faucet(scriptOf(terms), amount);
  if (paid === null) throw new Error('the faucet has no coin');
  return paid;
}

const heightOf = async ({ txid }: Outpoint): Promise<number | null | undefined> =>
  (await sources().coins([scriptOf(terms)])).find(({ outpoint }) => outpoint.txid === txid)?.height;

test('fault 49, bitcoin: a server that calls a funding mined confirms it for nobody', async () => {
  const funding = waitingFunding();
  const { hash, height } = world.tip();
  const status = { confirmed: true, block_height: height, block_hash: hash, block_time: 0 };
  liar.lie(async (path, honest) => {
    if (path === `/tx/${funding.txid}/status`) return { status: 200, body: status };
    if (path === `/tx/${funding.txid}/merkle-proof`)
      return { status: 200, body: { block_height: height, merkle: [], pos: 0 } };
    if (!path.endsWith('/utxo')) return undefined;
    const rows = JSON.parse((await honest()).text) as { txid: string }[];
    return { status: 200, body: rows.map((row) => (row.txid === funding.txid ? { ...row, status } : row)) };
  });
  expect([await heightOf(coin), await heightOf(funding)]).toEqual([height, null]);
  world.mine(1);
  expect(await heightOf(funding)).toBe(height + 1);
});

test('fault 49, bitcoin: a funding that a server makes up waits for ever, and without its bytes is none', async () => {
  const made = newTx({ version: 2, lockTime: 0 });
  made.addInput({ txid: coin.txid, index: 7, sequence: 0 });
  made.addOutput({ script: scriptOf(terms), amount });
  made.updateInput(0, { finalScriptWitness: [new Uint8Array(64)] }, true);
  const { id } = made;
  const { hash, height } = world.tip();
  const status = { confirmed: true, block_height: height, block_hash: hash, block_time: 0 };
  let shows = false;
  liar.lie(async (path, honest) => {
    if (path === `/tx/${id}/status`) return { status: 200, body: status };
    if (path === `/tx/${id}/hex` && shows) return { status: 200, body: toHex(made.toBytes(true, true)) };
    if (!path.endsWith('/utxo')) return undefined;
    const rows = JSON.parse((await honest()).text) as object[];
    return { status: 200, body: [...rows, { txid: id, vout: 0, value: Number(amount), status }] };
  });
  expect(await heightOf({ txid: id, vout: 0 })).toBe(undefined);
  shows = true;
  expect([await heightOf({ txid: id, vout: 0 }), await heightOf(coin)]).toEqual([null, height]);
});

test('fault 49, bitcoin: a server that denies a funding hides it from nobody', async () => {
  liar.lie((path) =>
    path.endsWith('/utxo')
      ? { status: 200, body: [] }
      : path.startsWith(`/tx/${coin.txid}`)
        ? { status: 404, body: 'Transaction not found' }
        : undefined,
  );
  expect(await heightOf(coin)).toBe(world.tip().height);
});
