import type { EvmEndpoints } from '../../../engine/sandbox/endpoints.ts';
import type { Stage } from './scenario.ts';

export const coin = `0x${'00'.repeat(20)}`;

function chainOf({ endpoints }: Stage, chainId: number): EvmEndpoints {
  const chain = endpoints.evm?.[String(chainId)];
  if (chain === undefined) throw new Error(`the sandbox has no chain ${chainId}`);
  return chain;
}

export function tokenOf(stage: Stage, chainId: number, symbol: string): string {
  const token = chainOf(stage, chainId).tokens.find((one) => one.symbol === symbol);
  if (token === undefined) throw new Error(`the sandbox has no ${symbol}`);
  return token.address;
}

/** For clients: the RPC that no fault befalls. */
export function rpcOf(stage: Stage, chainId: number): string {
  return chainOf(stage, chainId).secondRpcUrl;
}
