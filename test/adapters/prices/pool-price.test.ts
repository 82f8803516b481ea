import { bytesToHex, encodeFunctionData, hexToBytes, parseAbi } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { createPoolPrice } from '../../../engine/adapters/prices/pool-price.ts';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { faucetAccount } from '../../../engine/sandbox/world/evm/faucet-account.ts';
import { address, coin, openMarket, quoter, usdc, wbtc, type Market } from '../dex/market.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const abi = parseAbi([
  'function factory() view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
  'function increaseObservationCardinalityNext(uint16)',
]);
const trader = address(faucetAccount.address);
/** Of this fee the sandbox has no pool of the two. */
const fee = 3_000;

let market: Market;
let chain: Pick<EvmPort, 'read' | 'token'>;
let pool: EvmAddress;

async function rpc(method: string, ...params: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  await (await fetch(market.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json();
}

async function pass(seconds: number): Promise<void> {
  await rpc('evm_increaseTime', seconds);
  await rpc('evm_mine');
}

const encoded = (call: Parameters<typeof encodeFunctionData>[0]) => hexToBytes(encodeFunctionData(call));

beforeAll(async () => {
  market = await openMarket();
  chain = connectEvm({
    chainId: 137,
    rpc: [market.url],
    key: new Uint8Array(32).fill(7),
    boundTo: null,
    wall: market.now,
  });
  await market.openPool({
    fee,
    spacing: 60,
    sides: [
      [wbtc, 10n * 10n ** 8n],
      [usdc, 1_000_000n * 10n ** 6n],
    ],
  });
  const factory = asEvmAddress(
    (await chain.read({ to: quoter, data: encoded({ abi, functionName: 'factory' }) })).subarray(12),
  );
  const args = [bytesToHex(wbtc), bytesToHex(usdc), fee] as const;
  const place = await chain.read({ to: factory, data: encoded({ abi, functionName: 'getPool', args }) });
  pool = asEvmAddress(place.subarray(12));
});
afterAll(() => market.stop());

const priceOf = (token: EvmAddress) => createPoolPrice({ chain, pool, token })();

async function buyBitcoin(units: bigint): Promise<void> {
  const route = [{ from: usdc, to: wbtc, fee }];
  const order = { asked: market.now(), amountIn: units, amountOut: 0n, route };
  const quote = { from: usdc, to: wbtc, pinned: 'in', amount: units, ...order } as const;
  await market.carryOut(trader, market.dex().calls(quote, 0n, trader));
}

test('a pool that remembers less than half an hour is told with what to do', async () => {
  await expect(priceOf(wbtc)).rejects.toThrow(
    'remembers less than half an hour: have its observation cardinality raised',
  );
});

test('fault 69, evm: one trade moves nothing, and a price that stays moved does', async () => {
  const grow = encoded({ abi, functionName: 'increaseObservationCardinalityNext', args: [50] });
  await market.send(trader, pool, grow);
  await pass(3_600);
  await buyBitcoin(1_000_000n);
  await pass(3_600);
  const before = await priceOf(wbtc);
  expect(before).toBeGreaterThan(99_900);
  expect(before).toBeLessThan(100_100);
  expect(await priceOf(usdc)).toBeCloseTo(1 / before, 10);
  // Half as much again as the pool held: the price of the moment more than doubles.
  await buyBitcoin(500_000n * 10n ** 6n);
  await pass(12);
  expect(Math.abs((await priceOf(wbtc)) / before - 1)).toBeLessThan(0.01);
  await pass(1_800);
  expect(await priceOf(wbtc)).toBeGreaterThan(200_000);
});

test('a token that the pool does not have has no price there', async () => {
  await expect(priceOf(coin)).rejects.toThrow('has no');
});
