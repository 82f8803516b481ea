import type { Payee } from '../contract/requests/common.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { Sats } from '../domain/money.ts';
import { priceFromSource, priceFromTarget, type Price, type Rate } from '../quote/fees.ts';
import type { PayTarget } from '../quote/ports.ts';

/** What a payout costs: an invoice fixes what it pays, with a place either side may be fixed. */
export function payoutPrice(payee: Payee<Sats>, rate: Rate): Price {
  if (payee.is === 'invoice') return priceFromTarget(payee.amount, rate);
  return payee.amount.pinned === 'source'
    ? priceFromSource(payee.amount.amount, rate)
    : priceFromTarget(payee.amount.amount, rate);
}

/** A destination that cannot be paid is the caller's to change, whether it says no or nobody answers there. */
export function unpayable({ sentence }: Refusal): Refusal {
  return refuse('invalid', sentence);
}

export function payTargetOf(
  payee: Pick<Payee<unknown> & { readonly is: 'address' | 'lnurl' }, 'is' | 'text'>,
): PayTarget {
  return payee.is === 'address' ? { lightning_address: payee.text } : { lnurl: payee.text };
}
