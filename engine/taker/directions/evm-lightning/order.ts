import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderOnEvm } from '../../evm/order.ts';
import { isZero } from '../../evm/verify.ts';
import { orderedPayout } from '../../payout-invoice.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

export async function order(from: Ordering): Promise<Order<TakeEvmLightningTerms> | Refusal> {
  const payout = orderedPayout(from);
  if (isRefusal(payout)) return payout;
  const amount = payout.targetAmount;
  const chain = await orderOnEvm(from.request, from, amount);
  if (isRefusal(chain)) return chain;
  if (isZero(chain.pegged.address))
    return refuse('invalid', `The coin of ${chain.chain} cannot be signed away: swap from a chain with a token.`);
  const quoted = await from.provider.quoteOnEvm('evm-lightning', chain, { side: 'target', amount });
  if (isRefusal(quoted)) return quoted;
  return {
    value: amount,
    terms: (agreed) => ({
      ...agreed,
      ...chain.termsFor(agreed.keyIndex),
      ...payout,
      sourceAmount: quoted.source,
    }),
  };
}
