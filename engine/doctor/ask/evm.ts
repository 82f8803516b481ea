import { probeEvm } from '../../adapters/evm/probe.ts';
import type { EvmChain } from '../judge/evm.ts';

/** Every RPC of a chain. */
export async function askChain(chainId: string, urls: readonly string[], patience: number): Promise<EvmChain> {
  const rpcs = await Promise.all(
    urls.map(async (url, i) => ({
      name: `the RPC at ${new URL(url).host}`,
      setting: `evm.${chainId}.rpc (entry ${i + 1})`,
      answer: await probeEvm(url, patience),
    })),
  );
  return { chainId, rpcs };
}
