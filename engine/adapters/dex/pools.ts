import { bytesToHex, decodeFunctionResult, encodeFunctionData, hexToBytes, parseAbi } from 'viem/utils';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { hasPassed, type Unix } from '../../domain/time.ts';
import type { EvmPort } from '../../legs/evm/port.ts';

/** Of Uniswap v3 (`@uniswap/v3-core` 1.0.1): factory and pool. */
const factoryAbi = parseAbi(['function getPool(address, address, uint24) view returns (address)']);
const poolAbi = parseAbi(['function liquidity() view returns (uint128)']);

/** What pools may take, in millionths: the tiers of the published factory. */
const tiers = [100, 500, 3_000, 10_000] as const;

export interface Pool {
  /** In millionths. */
  readonly fee: number;
  readonly liquidity: bigint;
}

/** Pools come and go, and slowly. */
const trustedFor = 60;
const mostPairs = 1_000;

/** The pools of two tokens that hold anything, the deepest first; kept for a minute. */
export function createPools(chain: Pick<EvmPort, 'read'>, factory: () => Promise<EvmAddress>, wall: () => Unix) {
  const memory = new Map<string, { readonly at: Unix; readonly pools: Promise<readonly Pool[]> }>();

  async function look(one: EvmAddress, other: EvmAddress): Promise<readonly Pool[]> {
    const to = await factory();
    const looked = await Promise.all(
      tiers.map(async (fee): Promise<readonly Pool[]> => {
        const data = encodeFunctionData({ abi: factoryAbi, args: [bytesToHex(one), bytesToHex(other), fee] });
        const place = await chain.read({ to, data: hexToBytes(data) });
        const address = hexToBytes(decodeFunctionResult({ abi: factoryAbi, data: bytesToHex(place) }));
        if (address.every((byte) => byte === 0)) return [];
        const answer = await chain.read({
          to: asEvmAddress(address),
          data: hexToBytes(encodeFunctionData({ abi: poolAbi })),
        });
        const liquidity = decodeFunctionResult({ abi: poolAbi, data: bytesToHex(answer) });
        return liquidity === 0n ? [] : [{ fee, liquidity }];
      }),
    );
    return looked.flat().sort((a, b) => (a.liquidity > b.liquidity ? -1 : 1));
  }

  return {
    between(one: EvmAddress, other: EvmAddress): Promise<readonly Pool[]> {
      const key = [bytesToHex(one), bytesToHex(other)].sort().join();
      const now = wall();
      const entry = memory.get(key);
      if (entry !== undefined && !hasPassed(trustedFor, entry.at, now)) return entry.pools;
      const pools = look(one, other);
      memory.delete(key);
      memory.set(key, { at: now, pools });
      // What was not answered is asked again.
      pools.catch(() => memory.delete(key));
      const [oldest] = memory.keys();
      if (memory.size > mostPairs && oldest !== undefined) memory.delete(oldest);
      return pools;
    },
  };
}

export type Pools = ReturnType<typeof createPools>;
