import { bytesToHex, decodeFunctionResult, encodeFunctionData, hexToBytes, parseAbi } from 'viem/utils';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { evmFailure, failedOnEvm } from '../../legs/evm/failures.ts';
import type { EvmPort } from '../../legs/evm/port.ts';

/** Of a pool of Uniswap v3 (`@uniswap/v3-core` 1.0.1). */
const poolAbi = parseAbi([
  'function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[])',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
]);

/** Seconds over which the price is taken: whoever wants to move it has to hold the pool there for as long. */
const span = 1_800;
/** What one tick is worth. */
const tickBase = 1.0001;

export interface PoolPrice {
  readonly chain: Pick<EvmPort, 'read' | 'token'>;
  readonly pool: EvmAddress;
  /** The one of its two tokens whose price is asked, in whole units of the other. */
  readonly token: EvmAddress;
}

/**
 * The time-weighted price of the last half hour: the mean of its ticks, which is the geometric mean of its prices. One
 * RPC's word makes none: it could hide that a token lost its peg, or end all new swaps (facts/faults.md 69).
 */
export function createPoolPrice({ chain, pool, token }: PoolPrice): () => Promise<number> {
  let sides: { readonly isFirst: boolean; readonly scale: number } | null = null;

  async function placeOf(functionName: 'token0' | 'token1'): Promise<EvmAddress> {
    const data = hexToBytes(encodeFunctionData({ abi: poolAbi, functionName }));
    const answer = bytesToHex(await chain.read({ to: pool, data }, { agreed: true }));
    return asEvmAddress(hexToBytes(decodeFunctionResult({ abi: poolAbi, functionName, data: answer })));
  }

  async function readSides(): Promise<NonNullable<typeof sides>> {
    const [first, second] = await Promise.all([placeOf('token0'), placeOf('token1')]);
    const isFirst = sameBytes(first, token);
    if (!isFirst && !sameBytes(second, token))
      throw evmFailure('evm-unclear', 'never', `the pool at ${bytesToHex(pool)} has no ${bytesToHex(token)}`);
    const [one, other] = await Promise.all([
      chain.token(first, { agreed: true }),
      chain.token(second, { agreed: true }),
    ]);
    return { isFirst, scale: 10 ** (one.decimals - other.decimals) };
  }

  return async () => {
    sides ??= await readSides();
    const data = hexToBytes(encodeFunctionData({ abi: poolAbi, functionName: 'observe', args: [[span, 0]] }));
    const answer = await chain.read({ to: pool, data }, { agreed: true }).catch((cause: unknown) => {
      if (!failedOnEvm(cause, 'evm-reverted')) throw cause;
      throw evmFailure(
        'evm-reverted',
        'safe',
        `the pool at ${bytesToHex(pool)} remembers less than half an hour: have its observation cardinality raised`,
        cause,
      );
    });
    const [[before, now]] = decodeFunctionResult({ abi: poolAbi, functionName: 'observe', data: bytesToHex(answer) });
    if (before === undefined || now === undefined)
      throw evmFailure('evm-unclear', 'safe', `the pool at ${bytesToHex(pool)} answers no observations`);
    const first = tickBase ** (Number(now - before) / span) * sides.scale;
    return sides.isFirst ? first : 1 / first;
  };
}
