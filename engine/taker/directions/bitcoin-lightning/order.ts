import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { Order, Ordering } from '../../direction.ts';
import { noWalletToRefundTo } from '../../htlc.ts';
import { orderedPayout } from '../../payout-invoice.ts';
import type { TakeBitcoinLightningTerms } from './terms.ts';

export async function order(from: Ordering): Promise<Order<TakeBitcoinLightningTerms> | Refusal> {
  const refused = noWalletToRefundTo(from);
  if (refused !== null) return refused;
  const payout = orderedPayout(from);
  if (isRefusal(payout)) return payout;
  const quoted = await from.provider.quote('bitcoin-lightning', { side: 'target', amount: payout.targetAmount });
  if (isRefusal(quoted)) return quoted;
  return { value: quoted.source, terms: (agreed) => ({ ...agreed, ...payout, sourceAmount: quoted.source }) };
}
