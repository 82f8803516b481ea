import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';

/**
 * A chain on which nothing is ever swapped here, whatever answers now: what quotes and creates say of it to strangers,
 * who cannot connect it.
 */
export function unsupportedChain({ config }: Pick<ServiceContext, 'config'>, network: EvmNetwork): Refusal | null {
  const chain = config.evm[`${chainIdOf(network)}`];
  return chain === undefined || (chain.contracts.kind === 'erc20' && chain.peggedToken === null)
    ? refuse(
        'invalid',
        `Unsupported chain: nothing is swapped on chain ${chainIdOf(network)} here, GET /swap-pairs lists what is.`,
      )
    : null;
}
