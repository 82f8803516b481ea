import type { Hex } from 'viem';

/** What anvil says of the next block's base fee, which is zero to it until the block is made, put right. */
export function withNextBaseFee(method: string, params: readonly unknown[], result: unknown, baseFee: Hex): unknown {
  if (method === 'eth_gasPrice') return baseFee;
  if (method === 'eth_feeHistory') {
    const history = result as { readonly baseFeePerGas: readonly Hex[] };
    return { ...history, baseFeePerGas: [...history.baseFeePerGas.slice(0, -1), baseFee] };
  }
  if (method === 'eth_getBlockByNumber' && params[0] === 'pending')
    return { ...(result as object), baseFeePerGas: baseFee };
  return result;
}
