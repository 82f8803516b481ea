import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderOnEvm } from '../../evm/order.ts';
import { isZero } from '../../evm/verify.ts';
import type { TakeEvmBitcoinTerms } from './terms.ts';

/** What is paid to the HTLC is pinned; the price is what the provider quotes for that. */
export async function order({ request, ...from }: Ordering): Promise<Order<TakeEvmBitcoinTerms> | Refusal> {
  if (!from.bitcoinWallet())
    return refuse('unavailable', 'No Bitcoin wallet is connected, which could claim the bitcoin: connect one.');
  const { amount } = request;
  const chain = await orderOnEvm(request, from, amount);
  if (isRefusal(chain)) return chain;
  if (isZero(chain.pegged.address))
    return refuse('invalid', `The coin of ${chain.chain} cannot be signed away: swap from a chain with a token.`);
  const quoted = await from.provider.quoteOnEvm('evm-bitcoin', chain, { side: 'target', amount });
  if (isRefusal(quoted)) return quoted;
  return {
    value: amount,
    terms: (agreed, secret) => ({
      ...agreed,
      ...chain.termsFor(agreed.keyIndex),
      hash: sha256Of(secret),
      sourceAmount: quoted.source,
      targetAmount: amount,
    }),
  };
}
