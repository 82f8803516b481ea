import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderOnEvm } from '../../evm/order.ts';
import { isZero } from '../../evm/verify.ts';
import type { TakeEvmArkadeTerms } from './terms.ts';

/** What is locked for us is pinned; the price is what the provider quotes for that. */
export async function order({ request, ...from }: Ordering): Promise<Order<TakeEvmArkadeTerms> | Refusal> {
  const { amount } = request;
  const operator = from.operator();
  const chain = await orderOnEvm(request, from, amount);
  if (isRefusal(chain)) return chain;
  if (isZero(chain.pegged.address))
    return refuse('invalid', `The coin of ${chain.chain} cannot be signed away: swap from a chain with a token.`);
  const quoted = await from.provider.quoteOnEvm('evm-arkade', chain, { side: 'target', amount });
  if (isRefusal(quoted)) return quoted;
  const targetAddress = await from.arkadeAddress();
  if (targetAddress === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  return {
    value: amount,
    terms: (agreed, secret) => ({
      ...agreed,
      ...chain.termsFor(agreed.keyIndex),
      operator,
      hash: sha256Of(secret),
      sourceAmount: quoted.source,
      targetAmount: amount,
      targetAddress,
    }),
  };
}
