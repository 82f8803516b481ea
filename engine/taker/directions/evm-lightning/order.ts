import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderFromEvm } from '../../evm/order-from.ts';
import { orderedPayout } from '../../payout-invoice.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

export async function order(from: Ordering): Promise<Order<TakeEvmLightningTerms> | Refusal> {
  const payout = orderedPayout(from);
  if (isRefusal(payout)) return payout;
  const source = await orderFromEvm('evm-lightning', from, payout.targetAmount);
  if (isRefusal(source)) return source;
  return {
    value: payout.targetAmount,
    terms: (agreed) => ({ ...agreed, ...source.termsFor(agreed.keyIndex), ...payout }),
  };
}
