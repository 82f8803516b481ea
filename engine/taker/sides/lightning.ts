import { isRefusal } from '../../domain/errors.ts';
import { orderedPayout, recoveredPayout, type Payout, type PayoutRecord } from '../payout-invoice.ts';
import { distrust } from '../verify.ts';
import type { Side } from './agreed.ts';

/** A hold invoice of the provider's, with a text of ours. */
export function fromLightning(
  description: string,
): Side<{ readonly bolt11_invoice: string }, { readonly description: string }> {
  return {
    ordered: () => ({ description }),
    recovered({ bolt11_invoice: text }, { decodeInvoice }) {
      const invoice = decodeInvoice(text);
      if (isRefusal(invoice)) return distrust('its invoice cannot be read');
      return { description: invoice.description ?? '' };
    },
  };
}

/** An invoice that the provider pays, whose secret is its payee's. */
export const toLightning: Side<PayoutRecord, Payout> = {
  ordered: orderedPayout,
  recovered: recoveredPayout,
  // Only some records say it: at the create nothing is.
  instead: () => ({ lightning_payment_settled: false }),
};
