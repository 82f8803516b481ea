import type { Config } from '../config.ts';
import { chainIdOf, type EvmNetwork } from '../domain/chain.ts';
import { connectionFailure } from '../domain/errors.ts';
import { nativeChainIds } from '../legs/evm/deployments.ts';
import { bitcoinCoin } from '../quote/coin-price.ts';
import type { EvmRules } from '../runtime/networks/evm/rules.ts';

/** Half of what is saved, and no ceiling of the price itself. */
const usualGas = { maxShareBps: 5_000, maxFeeGwei: 0 };

/** By what the transactions of a chain go, as its owner set it. */
export function evmRules({ evm }: Config, network: EvmNetwork): EvmRules {
  const chainId = chainIdOf(network);
  const chain = evm[`${chainId}`];
  if (chain === undefined) throw connectionFailure('absent', `no RPC of ${network} is connected`);
  const price = nativeChainIds.includes(chainId) ? bitcoinCoin : null;
  return { confirmations: chain.confirmations, gas: usualGas, price };
}
