import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { seconds } from '../../../domain/time.ts';
import { checkInvoice } from '../../../legs/lightning/invoice.ts';
import type { Order, Ordering } from '../../direction.ts';
import { orderOnEvm } from '../../evm/order.ts';
import { isZero } from '../../evm/verify.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

export async function order({ request, ...from }: Ordering): Promise<Order<TakeEvmLightningTerms> | Refusal> {
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
  const chain = await orderOnEvm(request, from, amount);
  if (isRefusal(chain)) return chain;
  if (isZero(chain.pegged.address))
    return refuse('invalid', `The coin of ${chain.chain} cannot be signed away: swap from a chain with a token.`);
  const quoted = await from.provider.quoteOnEvm('evm-lightning', chain, { side: 'target', amount });
  if (isRefusal(quoted)) return quoted;
  return {
    value: amount,
    terms: (agreed) => ({
      ...agreed,
      ...chain.termsFor(agreed.keyIndex),
      hash: invoice.hash,
      sourceAmount: quoted.source,
      targetAmount: amount,
      bolt11: invoice.text,
      invoiceExpiresAt: invoice.expiresAt,
    }),
  };
}
