import type { Refusal } from '../domain/errors.ts';
import type { Sats } from '../domain/money.ts';

/** Where a payout goes when the client names a place instead of an invoice. */
export type PayTarget = { readonly lightning_address: string } | { readonly lnurl: string };

/**
 * Turns a place into a BOLT 11 invoice over exactly `amount` (LUD-06, LUD-16). A refusal is `invalid` when the place or
 * its owner says no, and `unavailable` when nobody answered; either way nothing was bought and asking again is harmless.
 */
export interface InvoiceResolver {
  resolve(target: PayTarget, amount: Sats): Promise<string | Refusal>;
  /** Asks the place whether it would take `amount`, and for no invoice. */
  check(target: PayTarget, amount: Sats): Promise<Refusal | null>;
}
