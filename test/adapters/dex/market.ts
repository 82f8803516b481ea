import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Abi,
  type Address,
  type Hex,
  encodeDeployData,
  encodeFunctionData,
  parseAbi,
  toHex as quantity,
  zeroAddress,
} from 'viem';
import { bytesToHex, hexToBytes } from 'viem/utils';
import places from '../../../resources/sandbox/evm-places.json' with { type: 'json' };
import { faucetAccount } from '../../../engine/sandbox/world/evm/faucet-account.ts';
import { AnvilError, startAnvil } from '../../../engine/sandbox/world/evm/anvil.ts';
import { createUniswapV3 } from '../../../engine/adapters/dex/uniswap-v3.ts';
import { type EvmAddress, asEvmAddress } from '../../../engine/domain/evm.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { Call } from '../../../engine/legs/evm/contracts.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';

/** The sandbox's chain of tokens, with its pools as they were prepared. */
const { dex, tokens, coordinator } = places[137];

export const address = (hex: string): EvmAddress => asEvmAddress(hexToBytes(hex as Hex));
function token(symbol: string): EvmAddress {
  const of = tokens.find((one) => one.symbol === symbol);
  if (of === undefined) throw new Error(`the sandbox has no ${symbol}`);
  return address(of.address);
}

export const wbtc = token('WBTC');
export const tbtc = token('tBTC');
export const usdc = token('USDC');
export const coin = token('WPOL');
export const quoter = address(dex.quoter);
export const router = address(dex.router);
export const coordinatorOfChain = address(coordinator);

export const erc20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
  'function approve(address, uint256) returns (bool)',
]);

const gas = quantity(8_000_000);

const lens = parseAbi(['function factory() view returns (address)']);

interface Receipt {
  readonly status: string;
  readonly contractAddress: Address | null;
}

interface NewPool {
  /** In millionths, and the spacing of ticks that it has. */
  readonly fee: number;
  readonly spacing: number;
  /** Each token with the amount that the pool gets of it. */
  readonly sides: readonly [readonly [EvmAddress, bigint], readonly [EvmAddress, bigint]];
}

function artifact(path: string): { abi: Abi; bytecode: Hex } {
  return JSON.parse(readFileSync(createRequire(import.meta.url).resolve(path), 'utf8')) as { abi: Abi; bytecode: Hex };
}

function squareRoot(square: bigint): bigint {
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

export type Market = Awaited<ReturnType<typeof openMarket>>;

export async function openMarket() {
  const genesis = new URL('../../../resources/sandbox/evm-137.json', import.meta.url).pathname;
  const anvil = await startAnvil([
    '--init',
    genesis,
    '--chain-id',
    '137',
    '--hardfork',
    'cancun',
    '--auto-impersonate',
  ]);
  let reads = 0;
  let now = unix(1_800_000_000);

  /** As an adapter of the chain reads: a revert is an answer. */
  const chain: Pick<EvmPort, 'read'> = {
    async read({ to, data }) {
      reads += 1;
      try {
        const call = { to: bytesToHex(to), data: bytesToHex(data) };
        return hexToBytes((await anvil.call('eth_call', call, 'latest')) as Hex);
      } catch (cause) {
        if (!(cause instanceof AnvilError)) throw cause;
        throw evmFailure('evm-reverted', 'never', cause.message);
      }
    },
  };

  /** Mines it; answers the contract that it made. */
  async function transact(call: { from: Address; to?: Address; data: Hex }): Promise<Address | null> {
    await anvil.call('anvil_setBalance', call.from, quantity(10n ** 24n));
    const hash = (await anvil.call('eth_sendTransaction', { ...call, gas })) as Hex;
    let receipt: Receipt | null = null;
    // Anvil answers the hash a moment before the block is there.
    while (receipt === null) receipt = (await anvil.call('eth_getTransactionReceipt', hash)) as Receipt | null;
    if (receipt.status !== '0x1') throw new Error('reverted');
    return receipt.contractAddress;
  }

  const send = async (from: EvmAddress, to: EvmAddress, data: Uint8Array) =>
    void (await transact({ from: bytesToHex(from), to: bytesToHex(to), data: bytesToHex(data) }));

  const encoded = (abi: Abi, functionName: string, args: readonly unknown[]) =>
    hexToBytes(encodeFunctionData({ abi, functionName, args }));

  return {
    chain,
    url: anvil.url,
    stop: anvil.stop,
    send,
    /** Calls of the chain so far. */
    reads: () => reads,
    pass: (seconds: number) => (now = unix(now + seconds)),
    now: () => now,
    dex: (over: readonly EvmAddress[] = [wbtc]) => createUniswapV3({ chain, quoter, router, over, wall: () => now }),
    snapshot: () => anvil.call('evm_snapshot') as Promise<Hex>,
    goBack: (to: Hex) => anvil.call('evm_revert', to),
    async balance(of: EvmAddress, tokenOf: EvmAddress): Promise<bigint> {
      const data = encoded(erc20, 'balanceOf', [bytesToHex(of)]);
      return BigInt(bytesToHex(await chain.read({ to: tokenOf, data })));
    },
    async allowance(tokenOf: EvmAddress, owner: EvmAddress, spender: EvmAddress): Promise<bigint> {
      const data = encoded(erc20, 'allowance', [bytesToHex(owner), bytesToHex(spender)]);
      return BigInt(bytesToHex(await chain.read({ to: tokenOf, data })));
    },
    /** Out of the faucet's pocket. */
    give: (tokenOf: EvmAddress, to: EvmAddress, amount: bigint) =>
      send(address(faucetAccount.address), tokenOf, encoded(erc20, 'transfer', [bytesToHex(to), amount])),
    /** A pool over all prices at the price of its two amounts, by position managers of its own. */
    async openPool({ fee, spacing, sides }: NewPool): Promise<void> {
      const [low, high] = [...sides].sort(([one], [other]) => (bytesToHex(one) < bytesToHex(other) ? -1 : 1));
      if (low === undefined || high === undefined) throw new Error('a pool has two sides');
      const faucetOf = address(faucetAccount.address);
      const factory = bytesToHex((await chain.read({ to: quoter, data: encoded(lens, 'factory', []) })).subarray(12));
      const { abi, bytecode } = artifact(
        '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
      );
      const deployed = await transact({
        from: faucetAccount.address,
        data: encodeDeployData({ abi, bytecode, args: [factory, bytesToHex(coin), zeroAddress] }),
      });
      const positions = address(deployed ?? zeroAddress);
      for (const [tokenOf, amount] of [low, high])
        await send(faucetOf, tokenOf, encoded(erc20, 'approve', [bytesToHex(positions), amount]));
      const [token0, token1] = [bytesToHex(low[0]), bytesToHex(high[0])];
      const price = squareRoot((high[1] << 192n) / low[1]);
      await send(faucetOf, positions, encoded(abi, 'createAndInitializePoolIfNecessary', [token0, token1, fee, price]));
      const most = Math.floor(887_272 / spacing) * spacing;
      const minting = {
        ...{ token0, token1, fee, tickLower: -most, tickUpper: most, amount0Min: 0n, amount1Min: 0n },
        ...{ amount0Desired: low[1], amount1Desired: high[1], recipient: faucetAccount.address, deadline: 2n ** 64n },
      };
      await send(faucetOf, positions, encoded(abi, 'mint', [minting]));
    },
    /** As a coordinator carries calls out, one by one. */
    async carryOut(from: EvmAddress, calls: readonly Call[]): Promise<void> {
      for (const { target, data } of calls) await send(from, target, data);
    },
  };
}
