import { afterEach, beforeEach, expect, test } from 'vitest';
import { core } from '../../../engine/adapters/bitcoin/core.ts';
import { readTransaction } from '../../../engine/adapters/bitcoin/raw.ts';
import type { ChainSource } from '../../../engine/adapters/bitcoin/chain-source.ts';
import { serveCore } from '../../../engine/sandbox/wire/core.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import type { HttpServer } from '../../../engine/sandbox/wire/http.ts';
import { openBitcoinWorld } from '../../ports/bitcoin-controls.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

const credentials = { user: 'user', password: 'password' };
const payer = openPayer('of a wallet');
const [htlc, elsewhere] = [openPayer('an HTLC').script, openPayer('elsewhere').script];

let server: HttpServer;
let world: BitcoinWorld;
let mine: (count: number, payee: Uint8Array) => void;
let since: number;
let funding: string;

/** A wallet funded an HTLC and has spent its change; both are mined. */
beforeEach(async () => {
  const opened = openBitcoinWorld();
  const { controls } = opened;
  world = opened.world;
  server = await serveCore({ world, port: 0, ...credentials, txindex: true, errorsAreOk: false });
  mine = (count, payee) => world.mine(count, payee);
  since = world.tip().height;
  const coin = await controls.faucet(payer.script, 100_000n);
  await controls.mine(1);
  const change = { script: payer.script, amount: 49_000n };
  const bytes = payer.pay({
    from: [{ outpoint: coin, amount: 100_000n }],
    to: [{ script: htlc, amount: 50_000n }, change],
  });
  funding = readTransaction(bytes).txid;
  world.submit(bytes);
  world.mine(1);
  const from = [{ outpoint: { txid: funding, vout: 1 }, amount: change.amount }];
  world.submit(payer.pay({ from, to: [{ script: elsewhere, amount: 48_000n }] }));
  world.mine(1);
});
afterEach(() => server.stop());

/** A process that has just begun. */
const started = (): ChainSource => core({ url: server.url, ...credentials, ca: null });
const funded = () => ({ txid: funding, vout: 0 });

test('fault 94, bitcoin: a node that has just begun lists no coin that was spent since', async () => {
  const source = started();
  expect(await source.coins([payer.script], since)).toEqual([]);
  expect((await source.coins([htlc], since)).map(({ outpoint }) => outpoint)).toEqual([funded()]);
});

test('fault 94, bitcoin: change that was spent stays spent when its transaction is found for an HTLC', async () => {
  const source = started();
  expect(await source.coins([payer.script])).toEqual([]);
  expect((await source.coins([htlc], since)).map(({ outpoint }) => outpoint)).toEqual([funded()]);
  expect(await source.coins([payer.script])).toEqual([]);
});

test('fault 232, bitcoin: what was paid and spent before a scan of the script is told all the same', async () => {
  const source = started();
  // As those look who have no height to begin at.
  expect(await source.coins([payer.script])).toEqual([]);
  const listed = await source.payments?.(payer.script, since, {});
  expect(listed?.payments.map(({ txid, spent }) => [txid === funding, spent])).toEqual([
    [true, true],
    [false, true],
  ]);
  expect(await source.coins([payer.script])).toEqual([]);
  const paid = await source.payments?.(htlc, since, {});
  expect(paid?.payments).toEqual([{ txid: funding, amount: 50_000n, spent: false }]);
});

test('a coin is told for a reward, whether a scan of the unspent set or a block shows it', async () => {
  const before = started();
  await before.coins([htlc], since);
  mine(1, elsewhere);
  const after = started();
  for (const source of [before, after]) {
    const coins = await source.coins([htlc, elsewhere], source === before ? since : undefined);
    expect(coins.map(({ amount, reward }) => [amount < 60_000n, reward]).toSorted()).toEqual([
      [false, true],
      [true, false],
      [true, false],
    ]);
  }
});

test('fault 233, bitcoin: a pruned node that keeps the blocks no more lists what its unspent set has', async () => {
  mine(5, elsewhere);
  const pruned = await serveCore({ world, port: 0, ...credentials, txindex: false, keepsBlocks: 4 });
  const source = core({ url: pruned.url, ...credentials, ca: null });
  try {
    expect((await source.coins([htlc], since)).map(({ outpoint }) => outpoint)).toEqual([funded()]);
    expect(await source.coins([payer.script], since)).toEqual([]);
    // What was spent there is told by nobody: that is no "never paid".
    await expect(source.payments?.(htlc, since, {})).rejects.toThrow('keeps no blocks below');
  } finally {
    await pruned.stop();
  }
});

/** A node without an index of transactions, and what its blocks are hidden by. */
async function withoutIndex(hides: (block: string) => boolean = () => false) {
  const hiding = new Proxy(world, {
    get: (target, key: keyof BitcoinWorld) =>
      key === 'byHash' ? (hash: string) => (hides(hash) ? undefined : target.byHash(hash)) : target[key],
  });
  const node = await serveCore({ world: hiding, port: 0, ...credentials, txindex: false });
  return { node, source: core({ url: node.url, ...credentials, ca: null }) };
}

test('fault 254, bitcoin: a block that cannot be read once does not end the search for a spend in it', async () => {
  const block = world.at(world.tip().height)?.hash;
  mine(15, elsewhere);
  let isHidden = true;
  const { node, source } = await withoutIndex((hash) => isHidden && hash === block);
  try {
    expect(await source.spend({ txid: funding, vout: 1 })).toBeNull();
    isHidden = false;
    expect((await source.spend({ txid: funding, vout: 1 }))?.height).toBe(world.tip().height - 15);
  } finally {
    await node.stop();
  }
});

test('fault 254, bitcoin: without an index a deep transaction is shown at once while a coin of it stands', async () => {
  mine(60, elsewhere);
  const { node, source } = await withoutIndex();
  try {
    expect((await source.transaction(funding))?.height).toBe(world.tip().height - 61);
  } finally {
    await node.stop();
  }
});
