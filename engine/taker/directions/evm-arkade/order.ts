import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderFromEvm } from '../../evm/order-from.ts';
import type { TakeEvmArkadeTerms } from './terms.ts';

/** What is locked for us is pinned; the price is what the provider quotes for that. */
export async function order(from: Ordering): Promise<Order<TakeEvmArkadeTerms> | Refusal> {
  const { amount } = from.request;
  const operator = from.operator();
  const source = await orderFromEvm('evm-arkade', from, amount);
  if (isRefusal(source)) return source;
  const targetAddress = await from.arkadeAddress();
  if (targetAddress === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  return {
    value: amount,
    terms: (agreed, secret) => ({
      ...agreed,
      ...source.termsFor(agreed.keyIndex),
      operator,
      hash: sha256Of(secret),
      targetAmount: amount,
      targetAddress,
    }),
  };
}
