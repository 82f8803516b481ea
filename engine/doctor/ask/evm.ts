import { probeChain, probeEvm } from '../../adapters/evm/probe.ts';
import type { EvmChainConfig } from '../../config/chains.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { EvmChain } from '../judge/evm.ts';

/** Every RPC of a chain, and the first that is on it for what stands there. */
export async function askChain(
  chainId: string,
  chain: EvmChainConfig,
  account: EvmAddress | null,
  patience: number,
): Promise<EvmChain> {
  const { rpc, contracts, relayerFloorWei } = chain;
  const rpcs = await Promise.all(
    rpc.map(async (url, i) => ({
      name: `the RPC at ${new URL(url).host}`,
      setting: `evm.${chainId}.rpc (entry ${i + 1})`,
      answer: await probeEvm(url, patience),
    })),
  );
  const first = rpcs.findIndex(({ answer }) => answer.is === 'answered' && String(answer.facts.chainId) === chainId);
  const url = rpc[first];
  const standing =
    url === undefined ? null : await probeChain(url, { chainId: Number(chainId), contracts, account }, patience);
  return { chainId, rpcs, account, floor: relayerFloorWei, standing };
}
