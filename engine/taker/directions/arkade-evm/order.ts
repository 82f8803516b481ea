import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderToEvm } from '../../evm/order-to.ts';
import type { TakeArkadeEvmTerms } from './terms.ts';

export async function order(from: Ordering): Promise<Order<TakeArkadeEvmTerms> | Refusal> {
  const operator = from.operator();
  const ordered = await orderToEvm('arkade-evm', from);
  if (isRefusal(ordered)) return ordered;
  return {
    value: from.request.amount,
    terms: (agreed, secret) => ({
      ...agreed,
      ...ordered.termsFor(agreed.keyIndex),
      operator,
      hash: sha256Of(secret),
    }),
  };
}
