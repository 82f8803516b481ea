import { refuse, type Refusal } from '../domain/errors.ts';
import type { ServiceContext } from './context.ts';

/**
 * Operations of swaps with an EVM leg. This build opens none, so every id names either no swap or one of another
 * direction: both are told apart.
 */
export function noEvmLeg(context: ServiceContext, id: string): Refusal {
  if (context.runtime.store.swaps.statusOf(id) === null) return refuse('unknown-swap', 'Swap not found: check the id.');
  return refuse('invalid', 'This swap has no EVM leg: the operation is for swaps from or to an EVM chain.');
}

export function noEvmChain(direction: string): Refusal {
  return refuse('unavailable', `The direction ${direction} needs an EVM chain, and this version of the node swaps on none yet.`);
}

export function noBitcoinLeg(): Refusal {
  return refuse('unavailable', 'The direction bitcoin-arkade needs a Bitcoin wallet, and none is connected: set bitcoin in the configuration.');
}
