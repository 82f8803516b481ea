import type { SwapOperation } from '../contract/routes/route.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { ServiceContext } from './context.ts';

/**
 * What is said of a swap without the leg that an operation is for: the id names no swap, or one of another direction. Both are
 * told apart. Under /api a wrong direction is a state that forbids, as for the refunds on Arkade.
 */
export function noEvmLeg(
  context: ServiceContext,
  id: string,
  operation: Exclude<SwapOperation, 'refund-arkade' | 'owner'>,
): Refusal {
  if (context.runtime.store.swaps.statusOf(id) === null) return refuse('unknown-swap', 'Swap not found: check the id.');
  return refuse(
    operation === 'refund-evm' ? 'forbidden' : 'invalid',
    'This swap has no EVM leg: the operation is for swaps from or to an EVM chain.',
  );
}
