import type { Config } from '../../config.ts';
import { chainIdOf, directionNames, type EvmNetwork, nativeChainIds } from '../../domain/chain.ts';
import { connectionFailure } from '../../domain/errors.ts';
import { nativeCoin } from '../../domain/evm.ts';
import { sats } from '../../domain/money.ts';
import { termsFor } from '../../domain/terms.ts';
import type { CoinPrice } from '../../quote/coin-price.ts';
import { unitsOfSats } from '../../quote/token-price.ts';
import type { EvmRules } from '../../runtime/networks/evm/rules.ts';
import { noAccountRules, type EvmAccountRules } from '../networks/evm.ts';

/**
 * By what the transactions of a chain go, as its owner set it; `decimals` of the pegged token, null while they were not
 * read.
 */
export function evmRules(
  { evm, terms, caps }: Pick<Config, 'evm' | 'terms' | 'caps'>,
  network: EvmNetwork,
  { price, decimals }: { readonly price: CoinPrice | null; readonly decimals: number | null },
): EvmRules {
  const chain = evm[`${chainIdOf(network)}`];
  if (chain === undefined) throw connectionFailure('absent', `no RPC of ${network} is connected`);
  const { contracts, peggedToken: token } = chain;
  const ceiling = caps.perNetworkSats[network] ?? 0;
  const most = Math.max(...directionNames.map((name) => termsFor(terms, name).maxSats));
  const largest = sats(ceiling > 0 ? Math.min(ceiling, most) : most);
  const units = decimals === null ? null : unitsOfSats(largest, decimals);
  const standing = contracts.kind === 'native' || token === null ? null : { contracts, token, largest: units };
  const { confirmations, gas, agreeAboveSats } = chain;
  const { pegged } = evmAccountRules({ evm }, network);
  return { confirmations, gas, singleSource: sats(agreeAboveSats), price, pegged, standing };
}

/** What our account on a chain holds for swaps, and keeps for gas. */
export function evmAccountRules({ evm }: Pick<Config, 'evm'>, network: EvmNetwork): EvmAccountRules {
  const chain = evm[`${chainIdOf(network)}`];
  if (chain === undefined) return noAccountRules;
  const pegged = nativeChainIds.includes(chainIdOf(network)) ? nativeCoin : chain.peggedToken;
  return { pegged, floor: chain.relayerFloorWei };
}
