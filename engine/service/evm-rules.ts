import type { Config } from '../config.ts';
import { chainIdOf, type EvmNetwork } from '../domain/chain.ts';
import { connectionFailure } from '../domain/errors.ts';
import { asEvmAddress } from '../domain/evm.ts';
import { nativeChainIds } from '../legs/evm/deployments.ts';
import type { CoinPrice } from '../quote/coin-price.ts';
import type { EvmRules } from '../runtime/networks/evm/rules.ts';
import { noAccountRules, type EvmAccountRules } from './networks/evm.ts';

const coin = asEvmAddress(new Uint8Array(20));

/** By what the transactions of a chain go, as its owner set it. */
export function evmRules({ evm }: Pick<Config, 'evm'>, network: EvmNetwork, price: CoinPrice | null): EvmRules {
  const chain = evm[`${chainIdOf(network)}`];
  if (chain === undefined) throw connectionFailure('absent', `no RPC of ${network} is connected`);
  return { confirmations: chain.confirmations, gas: chain.gas, price };
}

/** What our account on a chain holds for swaps, and keeps for gas. */
export function evmAccountRules({ evm }: Pick<Config, 'evm'>, network: EvmNetwork): EvmAccountRules {
  const chain = evm[`${chainIdOf(network)}`];
  if (chain === undefined) return noAccountRules;
  const pegged = nativeChainIds.includes(chainIdOf(network)) ? coin : chain.peggedToken;
  return { pegged, floor: chain.relayerFloorWei };
}
