// Uniswap v3 as published, and pools so deep that a swap of the sandbox's sizes does not move their price.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Abi, type Address, type Hex, zeroAddress } from 'viem';
import type { Builder, Contract } from './builder.ts';

const { resolve } = createRequire(import.meta.url);

/** The compiled contracts that the packages ship. */
export const artifacts = {
  factory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  positions: '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
  quoter: '@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
  router: '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
} as const;

export function artifactText(path: string): string {
  return readFileSync(resolve(path), 'utf8');
}

export interface Market {
  readonly quoter: Contract;
  readonly router: Contract;
  /** Only needed while the market is made. */
  readonly positions: Contract;
  readonly factory: Contract;
}

export async function openMarket(builder: Builder, wrapped: Contract): Promise<Market> {
  const deploy = (path: string, args: readonly unknown[] = []) =>
    builder.deploy(JSON.parse(artifactText(path)) as { abi: Abi; bytecode: Hex }, args);
  const factory = await deploy(artifacts.factory);
  const positions = await deploy(artifacts.positions, [factory.address, wrapped.address, zeroAddress]);
  const quoter = await deploy(artifacts.quoter, [factory.address, wrapped.address]);
  const routerArgs = [zeroAddress, factory.address, positions.address, wrapped.address];
  return { factory, positions, quoter, router: await deploy(artifacts.router, routerArgs) };
}

export interface Side {
  readonly token: Contract;
  /** Smallest units that the pool gets; the two sides are worth the same, which is the price. */
  readonly amount: bigint;
}

/** The lowest and the highest price that there is, by the spacing of the fee. */
const spacings: Readonly<Record<number, number>> = { 500: 10, 3_000: 60 };
const mostTick = 887_272;
const forEver = 2n ** 64n;

/** A pool over all prices, at the price of the two amounts. */
export async function openPool(
  { positions }: Market,
  builder: Builder,
  holder: Address,
  fee: number,
  sides: readonly [Side, Side],
): Promise<void> {
  const [low, high] =
    BigInt(sides[0].token.address) < BigInt(sides[1].token.address) ? sides : ([sides[1], sides[0]] as const);
  for (const { token, amount } of [low, high])
    await builder.send(holder, token, 'approve', [positions.address, amount]);
  const price = squareRoot((high.amount << 192n) / low.amount);
  const pair = [low.token.address, high.token.address, fee];
  await builder.send(holder, positions, 'createAndInitializePoolIfNecessary', [...pair, price]);
  const tick = Math.floor(mostTick / spacings[fee]!) * spacings[fee]!;
  const [token0, token1] = pair;
  const minting = {
    ...{ token0, token1, fee, tickLower: -tick, tickUpper: tick, amount0Min: 0n, amount1Min: 0n },
    ...{ amount0Desired: low.amount, amount1Desired: high.amount, recipient: holder, deadline: forEver },
  };
  await builder.send(holder, positions, 'mint', [minting]);
}

function squareRoot(square: bigint): bigint {
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
