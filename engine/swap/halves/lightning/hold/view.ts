import { toHex } from '../../../../domain/hex.ts';
import { bitcoinOn } from '../../../../domain/token.ts';
import type { Unix } from '../../../../domain/time.ts';
import type { HoldTerms } from './terms.ts';

/** Of any state of a swap what its record says of the invoice, once there is one. */
type InvoiceProgress =
  { readonly at: string; readonly bolt11: string; readonly invoiceExpiresAt: Unix } | { readonly at: string };

/** What a record says of the hold invoice that the client pays. */
export function sourceView(t: HoldTerms, p: InvoiceProgress) {
  return {
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Lightning'),
    bolt11_invoice: 'bolt11' in p ? p.bolt11 : '',
    invoice_expires_at: 'invoiceExpiresAt' in p ? p.invoiceExpiresAt : t.fundBefore,
    hash_lock: `0x${toHex(t.hash)}`,
  } as const;
}
