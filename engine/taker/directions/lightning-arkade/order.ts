import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import type { TakeLightningArkadeTerms } from './terms.ts';

const description = 'Swap to Arkade';

export async function order({ request, ...from }: Ordering): Promise<Order<TakeLightningArkadeTerms> | Refusal> {
  const quoted = await from.provider.quote('lightning-arkade', { side: 'source', amount: request.amount });
  if (isRefusal(quoted)) return quoted;
  const targetAddress = await from.arkadeAddress();
  if (targetAddress === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  const operator = from.operator();
  return {
    value: request.amount,
    terms: (agreed, secret) => ({
      ...agreed,
      operator,
      hash: sha256Of(secret),
      sourceAmount: request.amount,
      targetAmount: quoted.target,
      targetAddress,
      description,
    }),
  };
}
