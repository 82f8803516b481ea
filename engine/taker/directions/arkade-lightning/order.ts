import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderedPayout } from '../../payout-invoice.ts';
import type { TakeArkadeLightningTerms } from './terms.ts';

export async function order(from: Ordering): Promise<Order<TakeArkadeLightningTerms> | Refusal> {
  const payout = orderedPayout(from);
  if (isRefusal(payout)) return payout;
  const quoted = await from.provider.quote('arkade-lightning', { side: 'target', amount: payout.targetAmount });
  if (isRefusal(quoted)) return quoted;
  const operator = from.operator();
  return {
    value: quoted.source,
    terms: (agreed) => ({
      ...agreed,
      ...payout,
      operator,
      sourceAmount: quoted.source,
    }),
  };
}
