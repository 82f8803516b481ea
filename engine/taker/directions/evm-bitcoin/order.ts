import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderFromEvm } from '../../evm/order-from.ts';
import { noWalletToClaimTo } from '../../htlc.ts';
import type { TakeEvmBitcoinTerms } from './terms.ts';

/** What is paid to the HTLC is pinned; the price is what the provider quotes for that. */
export async function order(from: Ordering): Promise<Order<TakeEvmBitcoinTerms> | Refusal> {
  const refused = noWalletToClaimTo(from);
  if (refused !== null) return refused;
  const { amount } = from.request;
  const source = await orderFromEvm('evm-bitcoin', from, amount);
  if (isRefusal(source)) return source;
  return {
    value: amount,
    terms: (agreed, secret) => ({
      ...agreed,
      ...source.termsFor(agreed.keyIndex),
      hash: sha256Of(secret),
      targetAmount: amount,
    }),
  };
}
