import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderFromEvm } from '../../evm/order-from.ts';
import type { TakeEvmBitcoinTerms } from './terms.ts';

/** What is paid to the HTLC is pinned; the price is what the provider quotes for that. */
export async function order(from: Ordering): Promise<Order<TakeEvmBitcoinTerms> | Refusal> {
  if (!from.bitcoinWallet())
    return refuse('unavailable', 'No Bitcoin wallet is connected, which could claim the bitcoin: connect one.');
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
