import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { noWalletToClaimTo } from '../../htlc.ts';
import type { TakeLightningBitcoinTerms } from './terms.ts';

const description = 'Swap to Bitcoin';

export async function order({ request, ...from }: Ordering): Promise<Order<TakeLightningBitcoinTerms> | Refusal> {
  const refused = noWalletToClaimTo(from);
  if (refused !== null) return refused;
  const quoted = await from.provider.quote('lightning-bitcoin', { side: 'source', amount: request.amount });
  if (isRefusal(quoted)) return quoted;
  return {
    value: request.amount,
    terms: (agreed, secret) => ({
      ...agreed,
      hash: sha256Of(secret),
      sourceAmount: request.amount,
      targetAmount: quoted.target,
      description,
    }),
  };
}
