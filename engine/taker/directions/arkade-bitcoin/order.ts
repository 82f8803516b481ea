import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { noWalletToClaimTo } from '../../htlc.ts';
import type { TakeArkadeBitcoinTerms } from './terms.ts';

/** What we fund is pinned; the price is what the provider quotes for that. */
export async function order({ request, ...from }: Ordering): Promise<Order<TakeArkadeBitcoinTerms> | Refusal> {
  const refused = noWalletToClaimTo(from);
  if (refused !== null) return refused;
  const operator = from.operator();
  const quoted = await from.provider.quote('arkade-bitcoin', { side: 'source', amount: request.amount });
  if (isRefusal(quoted)) return quoted;
  return {
    value: request.amount,
    terms: (agreed, secret) => ({
      ...agreed,
      operator,
      hash: sha256Of(secret),
      sourceAmount: request.amount,
      targetAmount: quoted.target,
    }),
  };
}
