import type { Hex } from 'viem';
import { bytesToHex, concatHex, numberToHex } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { DexHop } from '../../quote/ports.ts';
import type { Pools } from './pools.ts';

/**
 * The routes from one token to another: every pool of the two, and by two hops over each of the tokens `over`, by the
 * deepest pools there.
 */
export async function routesBetween(
  pools: Pools,
  from: EvmAddress,
  to: EvmAddress,
  over: readonly EvmAddress[],
): Promise<readonly (readonly DexHop[])[]> {
  const direct = (await pools.between(from, to)).map(({ fee }) => [{ from, to, fee }]);
  const middles = over.filter((middle) => !sameBytes(middle, from) && !sameBytes(middle, to));
  const byTwo = await Promise.all(
    middles.map(async (middle) => {
      const [[first], [second]] = await Promise.all([pools.between(from, middle), pools.between(middle, to)]);
      if (first === undefined || second === undefined) return [];
      return [
        [
          { from, to: middle, fee: first.fee },
          { from: middle, to, fee: second.fee },
        ],
      ];
    }),
  );
  return [...direct, ...byTwo.flat()];
}

/** A route as the contracts take it: token, three bytes of fee, token, ... Backwards where the amount out is fixed. */
export function pathOf(route: readonly DexHop[], pinned: 'in' | 'out'): Hex {
  const [first] = route;
  if (first === undefined) throw new RangeError('a route without a pool');
  const tokens = [first.from, ...route.map(({ to }) => to)].map((token) => bytesToHex(token));
  const fees = route.map(({ fee }) => numberToHex(fee, { size: 3 }));
  if (pinned === 'out') {
    tokens.reverse();
    fees.reverse();
  }
  return concatHex(tokens.flatMap((token, at) => (at === 0 ? [token] : [fees[at - 1] ?? '0x', token])));
}
