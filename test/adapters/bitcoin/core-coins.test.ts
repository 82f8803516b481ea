import { afterEach, beforeEach, expect, test } from 'vitest';
import { core } from '../../../engine/adapters/bitcoin/core.ts';
import { readTransaction } from '../../../engine/adapters/bitcoin/raw.ts';
import type { ChainSource } from '../../../engine/adapters/bitcoin/chain-source.ts';
import { serveCore } from '../../../engine/sandbox/wire/core.ts';
import type { HttpServer } from '../../../engine/sandbox/wire/http.ts';
import { openBitcoinWorld } from '../../ports/bitcoin-controls.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

const credentials = { user: 'user', password: 'password' };
const payer = openPayer('of a wallet');
const [htlc, elsewhere] = [openPayer('an HTLC').script, openPayer('elsewhere').script];

let server: HttpServer;
let mine: (count: number, payee: Uint8Array) => void;
let since: number;
let funding: string;

/** A wallet funded an HTLC and has spent its change; both are mined. */
beforeEach(async () => {
  const { world, controls } = openBitcoinWorld();
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
