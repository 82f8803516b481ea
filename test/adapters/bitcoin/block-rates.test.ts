import { afterEach, expect, test } from 'vitest';
import { blockRates } from '../../../engine/adapters/bitcoin/block-rates.ts';
import { connectBitcoin } from '../../../engine/adapters/bitcoin/connect.ts';
import { serveCore } from '../../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../../engine/sandbox/wire/http.ts';
import { fund, openChain, pay, walletOf } from '../../sandbox/bitcoin-support.ts';

const servers: HttpServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

const access = { user: 'me', password: 'secret' };
const alice = walletOf('alice');

/** A chain whose last blocks hold one payment each, of these fees, and one with nothing in it. */
async function chainThatAsked(fees: readonly bigint[]) {
  const chain = openChain();
  const coins = fees.map(() => fund(chain, alice.script, 1_000_000n));
  chain.mine(1);
  const sizes = coins.map((coin, i) => {
    const tx = chain.submit(pay({ from: alice, funds: [coin], fee: fees[i] ?? 0n }));
    chain.mine(1);
    return tx.vsize;
  });
  chain.mine(1);
  const [core, esplora] = [await serveCore({ world: chain, port: 0, ...access }), await serveEsplora(chain, 0)];
  const btcd = await Promise.all(
    [true, false].map((txindex) => serveCore({ world: chain, port: 0, ...access, txindex, errorsAreOk: true })),
  );
  servers.push(core, esplora, ...btcd);
  return {
    height: chain.tip().height,
    sizes,
    core: { url: core.url, ...access, ca: null },
    btcd: btcd.map(({ url }) => ({ url, ...access, ca: null })),
    esplora: [esplora.url],
  };
}

test('Core and Esplora say what blocks asked, and leave out those that hold nothing', async () => {
  const { height, sizes, core, esplora } = await chainThatAsked([2_000n, 7_000n, 500n]);
  const blocks = [2_000, 7_000, 500].map((fee, i) => ({ height: height - 3 + i, rate: fee / (sizes[i] ?? 1) }));
  const by = (ends: { core: typeof core | null; esplora: string[] }) =>
    connectBitcoin({ network: 'regtest', ...ends })?.blockRates?.(4);
  expect(await by({ core: null, esplora })).toEqual(
    blocks.map(({ rate, ...one }) => ({ ...one, rate: expect.closeTo(rate, 0) })),
  );
  expect(await by({ core, esplora: [] })).toEqual(
    blocks.map(({ rate, ...one }) => ({ ...one, rate: Math.floor(rate) })),
  );
});

test('of a node without statistics it is what the last ones paid, or what the miner took in the mean', async () => {
  const { height, sizes, btcd } = await chainThatAsked([2_000n, 7_000n, 500n]);
  const rates = btcd.map(async (core) => connectBitcoin({ network: 'regtest', core, esplora: [] })?.blockRates?.(4));
  const blocks = [2_000, 7_000, 500].map((fee, i) => ({
    height: height - 3 + i,
    rate: expect.closeTo(fee / (sizes[i] ?? 1), 0),
  }));
  expect(await Promise.all(rates)).toEqual([blocks, blocks]);
});

test('a block is read once, the newest first and some at a time, also when many ask together', async () => {
  let height = 10;
  const calls: (readonly number[])[] = [];
  const rates = blockRates(
    async () => ({ height }),
    async (heights) => {
      calls.push(heights);
      return heights.map((one) => (one === 9 ? null : one));
    },
    3,
  );
  const read = async () => (await rates(5)).map(({ rate }) => rate);
  expect(await Promise.all([read(), read(), read()])).toEqual([
    [8, 10],
    [6, 7, 8, 10],
    [6, 7, 8, 10],
  ]);
  height = 11;
  expect([await read(), calls]).toEqual([
    [7, 8, 10, 11],
    [[10, 9, 8], [7, 6], [11]],
  ]);
});

test('what could not be read is read at the next look', async () => {
  let broken = true;
  const rates = blockRates(
    async () => ({ height: 2 }),
    async (heights) => {
      if (broken) throw new Error('away');
      return heights;
    },
    6,
  );
  await expect(rates(2)).rejects.toThrow('away');
  broken = false;
  expect(await rates(2)).toEqual([
    { height: 1, rate: 1 },
    { height: 2, rate: 2 },
  ]);
});
