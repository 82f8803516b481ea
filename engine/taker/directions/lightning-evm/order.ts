import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderToEvm } from '../../evm/order-to.ts';
import type { TakeLightningEvmTerms } from './terms.ts';

const description = 'Swap to an EVM chain';

export async function order(from: Ordering): Promise<Order<TakeLightningEvmTerms> | Refusal> {
  const ordered = await orderToEvm('lightning-evm', from);
  if (isRefusal(ordered)) return ordered;
  return {
    value: from.request.amount,
    terms: (agreed, secret) => ({
      ...agreed,
      ...ordered.termsFor(agreed.keyIndex),
      hash: sha256Of(secret),
      description,
    }),
  };
}
