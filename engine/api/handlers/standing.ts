import type { Refusal } from '../../domain/errors.ts';
import type { RouteName } from '../../contract/routes.ts';
import type { Service, SwapOperation } from '../service.ts';
import { isSwapId, unknownSwap } from './handler.ts';

/** The operations on a swap that carry something to be judged after the swap itself. */
const operations: Partial<Record<RouteName, SwapOperation>> = {
  collabRefund: 'refund-arkade',
  collabRefundArkadeLightning: 'refund-arkade',
  collabRefundDelegate: 'refund-arkade',
  redeemData: 'claim-evm',
  claimGasless: 'claim-evm',
  permit2Funding: 'fund-evm',
  fundGasless: 'fund-evm',
  refundCalldata: 'refund-evm-alone',
  collabRefundEvmParams: 'refund-evm',
  collabRefundEvm: 'refund-evm',
  ownerRetry: 'owner',
  ownerBump: 'owner',
  ownerRefund: 'owner',
  refundTakerSwap: 'owner',
};

/**
 * What the id and the state of its swap say against a request (DECISIONS.md, "Limits count cost": id, state, then shape). `naming`:
 * whether the request may still name coins that the answer depends on.
 */
export function standingOf(
  service: Service,
  name: RouteName,
  params: unknown,
  naming: 'something' | 'nothing',
): Refusal | null {
  const operation = operations[name];
  if (operation === undefined) return null;
  const { id } = params as { readonly id: unknown };
  if (typeof id !== 'string') return null;
  return isSwapId(id) ? service.standing(operation, id, naming) : unknownSwap(id);
}
