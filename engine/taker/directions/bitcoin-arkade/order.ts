import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { noWalletToRefundTo } from '../../htlc.ts';
import type { TakeBitcoinArkadeTerms } from './terms.ts';

/** What arrives is pinned, as the create of this direction has it; the price is what the provider quotes for that. */
export async function order({ request, ...from }: Ordering): Promise<Order<TakeBitcoinArkadeTerms> | Refusal> {
  const refused = noWalletToRefundTo(from);
  if (refused !== null) return refused;
  const operator = from.operator();
  const quoted = await from.provider.quote('bitcoin-arkade', { side: 'target', amount: request.amount });
  if (isRefusal(quoted)) return quoted;
  const targetAddress = await from.arkadeAddress();
  if (targetAddress === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  return {
    value: quoted.source,
    terms: (agreed, secret) => ({
      ...agreed,
      operator,
      hash: sha256Of(secret),
      sourceAmount: quoted.source,
      targetAmount: request.amount,
      targetAddress,
    }),
  };
}
