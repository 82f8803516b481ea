import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { seconds } from '../../../domain/time.ts';
import { checkInvoice } from '../../../legs/lightning/invoice.ts';
import type { Order, Ordering } from '../../direction.ts';
import type { TakeArkadeLightningTerms } from './terms.ts';

export async function order({ request, ...from }: Ordering): Promise<Order<TakeArkadeLightningTerms> | Refusal> {
  const invoice = from.decodeInvoice(request.invoice ?? '');
  if (isRefusal(invoice)) return invoice;
  const amount = checkInvoice(invoice, {
    network: from.network,
    now: from.wall,
    fundingWindow: seconds(0),
    ownNode: null,
    targetAmount: request.amount,
  });
  if (isRefusal(amount)) return amount;
  const quoted = await from.provider.quote('arkade-lightning', { side: 'target', amount });
  if (isRefusal(quoted)) return quoted;
  const operator = from.operator();
  return {
    value: quoted.source,
    terms: (agreed) => ({
      ...agreed,
      operator,
      hash: invoice.hash,
      sourceAmount: quoted.source,
      targetAmount: amount,
      bolt11: invoice.text,
      invoiceExpiresAt: invoice.expiresAt,
    }),
  };
}
