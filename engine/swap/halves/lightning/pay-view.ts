import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import type { PayTerms } from './pay.ts';

/** What a record says of the invoice that we pay. */
export function targetView(t: PayTerms) {
  return {
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Lightning'),
    client_lightning_invoice: t.bolt11,
    hash_lock: `0x${toHex(t.hash)}`,
    invoice_expires_at: t.invoiceExpiresAt,
  } as const;
}
