import { gaslessClaims, settledPayments } from './evm-claims.ts';
import { openDepositor } from './evm-swaps.ts';
import { onchainClaims } from './onchain-claims.ts';
import { preimages } from './preimages.ts';
import { withNode, type Setting } from './setting.ts';

/**
 * B3 of all six directions, and the latency of a gasless claim: each through the node's own adapters, EVM chains by an
 * anvil behind the sandbox's RPC.
 */
export async function claims(setting: Setting): Promise<void> {
  await withNode(setting, async (bench) => {
    await preimages(bench, 1, setting);
    const depositor = await openDepositor(bench, 2 * setting.size.claims);
    await gaslessClaims(bench, depositor, setting);
    await settledPayments(bench, depositor, setting);
    await onchainClaims(bench, setting);
  });
}
