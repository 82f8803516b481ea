import { isRefusal, type Refusal } from '../domain/errors.ts';
import type { Sats } from '../domain/money.ts';
import { seconds, type Clocks } from '../domain/time.ts';
import { checkInvoice, invoiceSats, type Bolt11 } from '../legs/lightning/invoice.ts';
import type { ValueOf } from '../legs/shape.ts';
import type { Ordering } from './direction.ts';
import { satsIn, type Restoring } from './restore/restoring.ts';
import type { payoutFields } from './shape.ts';
import type { LightningLeg } from './terms.ts';
import { distrust, leastTimeToPay, objection, type Objection } from './verify.ts';

/*
 * The invoice that the provider pays for us, whatever is given for it. Wrong: what we gave is taken for the payment of
 * an invoice that nobody chose.
 */

/** What an order, and what a record, says of the invoice. */
type Payout = ValueOf<typeof payoutFields>;
export interface PayoutRecord {
  readonly target_amount: string;
  readonly client_lightning_invoice: string;
  readonly invoice_expires_at: number;
}

function payoutOf(invoice: Bolt11, targetAmount: Sats): Payout {
  return { hash: invoice.hash, targetAmount, bolt11: invoice.text, invoiceExpiresAt: invoice.expiresAt };
}

/** The invoice of a request, or the sentence for which it is not ordered. */
export function orderedPayout({
  request,
  decodeInvoice,
  network,
  wall,
}: Pick<Ordering, 'request' | 'decodeInvoice' | 'network' | 'wall'>): Payout | Refusal {
  const invoice = decodeInvoice(request.invoice ?? '');
  if (isRefusal(invoice)) return invoice;
  const amount = checkInvoice(invoice, {
    network,
    now: wall,
    fundingWindow: seconds(0),
    ownNode: null,
    targetAmount: request.amount,
  });
  return isRefusal(amount) ? amount : payoutOf(invoice, amount);
}

/** The invoice of a record that is found again, which must ask for what the record pays out. */
export function recoveredPayout(
  record: Pick<PayoutRecord, 'client_lightning_invoice' | 'target_amount'>,
  { decodeInvoice, agreed }: Pick<Restoring, 'decodeInvoice' | 'agreed'>,
): Payout | Refusal {
  const targetAmount = satsIn(record.target_amount);
  if (isRefusal(targetAmount)) return targetAmount;
  const invoice = decodeInvoice(record.client_lightning_invoice);
  if (isRefusal(invoice) || invoice.network !== agreed.network)
    return distrust('its invoice cannot be read, or is of another network');
  if (invoiceSats(invoice) !== targetAmount) return distrust('its invoice asks for another amount');
  return payoutOf(invoice, targetAmount);
}

/** What is wrong with the invoice that a record says it would pay. */
export function wrongPayout(record: PayoutRecord, terms: Payout, now: Clocks): Objection {
  return (
    objection(
      record.client_lightning_invoice.toLowerCase() === terms.bolt11,
      'the invoice that it would pay is not ours',
    ) ??
    objection(
      record.invoice_expires_at === terms.invoiceExpiresAt,
      `it says that the invoice expires at ${record.invoice_expires_at}, it expires at ${terms.invoiceExpiresAt}`,
    ) ??
    objection(
      terms.invoiceExpiresAt >= now.wall + leastTimeToPay,
      `the invoice expires at ${terms.invoiceExpiresAt}, too soon to be paid`,
    ) ??
    objection(
      record.target_amount === terms.targetAmount.toString(),
      `it would pay ${record.target_amount} sats, the invoice asks for ${terms.targetAmount}`,
    )
  );
}

export function payoutLeg({ targetAmount, bolt11, invoiceExpiresAt }: Payout): LightningLeg {
  return { on: 'lightning', amount: targetAmount, bolt11, expiresAt: invoiceExpiresAt };
}
