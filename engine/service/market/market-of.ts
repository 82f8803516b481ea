import type { EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { unsupportedChain } from '../limits/unsupported-chain.ts';
import type { Market } from './market.ts';

/** The chain that the swap names, if it is one to swap on. */
export function marketOf(context: ServiceContext, network: EvmNetwork): Market | Refusal {
  const unsupported = unsupportedChain(context, network);
  if (unsupported !== null) return unsupported;
  return (
    context.markets.on(network) ??
    context.networks.closed(network) ??
    refuse('unavailable', 'This chain was not read yet: try again later.')
  );
}
