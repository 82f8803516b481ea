import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderToEvm } from '../../evm/order-to.ts';
import { noWalletToRefundTo } from '../../htlc.ts';
import type { TakeBitcoinEvmTerms } from './terms.ts';

/** What is paid is pinned, as in every swap to an EVM chain. */
export async function order(from: Ordering): Promise<Order<TakeBitcoinEvmTerms> | Refusal> {
  const refused = noWalletToRefundTo(from);
  if (refused !== null) return refused;
  const ordered = await orderToEvm('bitcoin-evm', from);
  if (isRefusal(ordered)) return ordered;
  return {
    value: from.request.amount,
    terms: (agreed, secret) => ({ ...agreed, ...ordered.termsFor(agreed.keyIndex), hash: sha256Of(secret) }),
  };
}
