import { formatEther } from 'viem/utils';

/**
 * So much of a chain's own coin, for people: 9000000000100000 is `0.0090000000001`. Exact.
 *
 * @param wei in the smallest unit, of which every chain here counts 10^18 to the coin
 */
export function coinText(wei: bigint): string {
  return formatEther(wei);
}
