import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { createUniswapV3 } from '../../../engine/adapters/dex/uniswap-v3.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { createMarkets, type Markets } from '../../../engine/service/market/markets.ts';
import { coordinatorOfChain, openMarket, quoter, router, usdc, wbtc, type Market } from '../../adapters/dex/market.ts';
import { startEvmProxy, type EvmLie, type EvmProxy } from '../../support/evm-proxy.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { hex, network } from './context.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

let scene: Scene;
let pools: Market;
let honest: EvmProxy;
let liar: EvmProxy;

beforeAll(async () => {
  [scene, pools] = await Promise.all([openScene({}, 'usual'), openMarket()]);
  [honest, liar] = [await startEvmProxy(pools.url), await startEvmProxy(pools.url)];
});
afterAll(async () => {
  await Promise.all([honest.stop(), liar.stop()]);
  await Promise.all([pools.stop(), scene.end()]);
});
beforeEach(() => liar.behave(() => null));

const answers = parseAbiParameters('uint256, uint160[], uint32[], uint256');

/** Every answer of the quoter's is so many times as much, or so many parts of it. */
const lie =
  (change: (amount: bigint) => bigint): EvmLie =>
  async (method, [call], ask) => {
    if (method !== 'eth_call' || (call as { to?: string }).to !== hex(quoter)) return null;
    const result = (await ask()) as Hex;
    if (result.length < 300) return null;
    const [amount, ...rest] = decodeAbiParameters(answers, result);
    return { result: encodeAbiParameters(answers, [change(amount), ...rest]) };
  };

/** What a node that begins with these RPCs reads of the chain. */
async function readBy(...rpcs: readonly EvmProxy[]): Promise<Markets> {
  const port = connectEvm({
    chainId: 137,
    rpc: rpcs.map(({ url }) => url),
    key: new Uint8Array(32).fill(7),
    boundTo: null,
    wall: pools.now,
  });
  const { runtime } = scene.node;
  const withChain = { ...runtime, ports: { ...runtime.ports, [network]: port satisfies EvmPort } };
  const dex = createUniswapV3({ chain: port, quoter, router, over: [wbtc], wall: pools.now });
  const set = {
    htlc: coordinatorOfChain,
    confirmations: 1,
    coordinator: coordinatorOfChain,
    pegged: wbtc,
    tokens: [],
    dex,
    slippageBps: 50,
    bridge: null,
  };
  const markets = createMarkets({ runtime: withChain, settings: () => new Map([[network, set]]), everyMs: 60_000 });
  await markets.read();
  return markets;
}

/** What the coin costs, in wei for 100,000 sats. */
async function priceBy(...rpcs: readonly EvmProxy[]): Promise<bigint | null> {
  return (await readBy(...rpcs)).coinPrice(network)?.wei ?? null;
}

test('fault 115, evm: one RPC alone gives what open swaps need, and no price for new ones', async () => {
  liar.behave(() => ({ status: 502 }));
  const markets = await readBy(liar, honest);
  expect([markets.on(network)?.pegged.decimals, markets.gas(network)]).toEqual([8, null]);
});

test('fault 134, evm: nothing new is begun before each RPC shows the contracts, and what stood once stays', async () => {
  liar.behave((method) => (method === 'eth_getCode' ? { result: '0x' } : null));
  const markets = await readBy(honest, liar);
  expect([markets.closed(network)?.refusal, markets.on(network)?.pegged.decimals]).toEqual(['unavailable', 8]);
  liar.behave(() => ({ status: 502 }));
  await markets.read();
  expect(markets.closed(network)).toBeNull();
  liar.behave((method) => (method === 'eth_getCode' ? { result: '0x' } : null));
  await markets.read();
  expect(markets.closed(network)).toBeNull();
});

test('a pair whose contracts an RPC does not show, for it lags, opens within seconds once it does', async () => {
  liar.behave((method) => (method === 'eth_getCode' ? { result: '0x' } : null));
  const markets = await readBy(honest, liar);
  markets.start();
  try {
    await markets.read();
    expect(markets.closed(network)?.sentence).toContain('one of them lags behind');
    liar.behave(() => null);
    await expect.poll(() => markets.closed(network), { timeout: 12_000 }).toBeNull();
  } finally {
    await markets.stop();
  }
});

test('fault 114, evm: what the coin of a chain costs is no single RPC’s word, where there are two', async () => {
  const price = await priceBy(honest);
  expect(price).toBeGreaterThan(0n);
  expect(await priceBy(liar, honest)).toBe(price);
  const lies: (bigint | null)[] = [];
  for (const change of [(amount: bigint) => amount * 1_000n, (amount: bigint) => amount / 1_000n]) {
    liar.behave(lie(change));
    lies.push(await priceBy(liar, honest), await priceBy(honest, liar));
  }
  expect(lies).toEqual([null, null, null, null]);
});

test('fault 114, evm: no number of clients who ask for prices keeps the node from the one of its coin', async () => {
  const dex = pools.dex([wbtc]);
  const questions = Array.from({ length: 60 }, (_, i) =>
    dex.quote(
      { from: wbtc, to: usdc, pinned: 'in', amount: 1_000n + BigInt(i) },
      { by: { is: 'client', client: `203.0.113.${i}` } },
    ),
  );
  const from = await dex.wrappedCoin({ agreed: true });
  const own = await dex.quote({ from, to: wbtc, pinned: 'out', amount: 100_000n }, { agreed: true });
  const refused = (await Promise.all(questions)).filter(isRefusal);
  expect([refused.length, isRefusal(own)]).toEqual([36, false]);
});
