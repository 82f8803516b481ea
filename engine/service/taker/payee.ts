import type { Place, TakerPayee, TakerSwapRequest } from '../../contract/taker.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { PayeeReader } from '../../quote/ports.ts';
import { payTargetOf } from '../create/payout.ts';

/** What a place takes, told before anything is begun. */
export async function payeeOf(payees: PayeeReader, place: Place): Promise<TakerPayee | Refusal> {
  const range = await payees.range(payTargetOf(place));
  return isRefusal(range) ? range : { min_sats: Number(range.least), max_sats: Number(range.most) };
}

/**
 * The same order with the invoice that its place gives for exactly the amount. It belongs to what the place showed (the
 * resolver compares amount and description hash), and it is judged by the order as one that the owner pasted.
 */
export async function withInvoice(payees: PayeeReader, request: TakerSwapRequest): Promise<TakerSwapRequest | Refusal> {
  if (request.payee === undefined) return request;
  const invoice = await payees.resolve(payTargetOf(request.payee), request.amount);
  return isRefusal(invoice) ? invoice : { ...request, invoice: invoice.toLowerCase() };
}
