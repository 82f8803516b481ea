import type { SwapOperation } from '../../contract/routes/route.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { claimStanding } from './claims.ts';
import type { ServiceContext } from '../context.ts';
import { depositOf } from '../deposit/deposit.ts';
import { refundEvmStanding } from '../deposit/refund.ts';

/**
 * What the id and the state of a swap say against an operation on its EVM leg, before the request itself is looked at.
 */
export function evmStanding(
  context: ServiceContext,
  id: string,
  operation: Exclude<
    SwapOperation,
    'refund-arkade' | 'claim-together' | 'refund-together' | 'sign-server-claim' | 'owner'
  >,
): Refusal | null {
  switch (operation) {
    case 'claim-evm':
      return claimStanding(context, id);
    case 'refund-evm':
      return refundEvmStanding(context, id);
    case 'fund-evm':
    case 'refund-evm-alone': {
      const swap = depositOf(context, id, operation);
      return isRefusal(swap) && swap.refusal !== 'unavailable' ? swap : null;
    }
  }
}
