import { ledgerColumns, type LedgerRow } from './ledger.ts';

/** A line of the books: what moved a wallet too, and from which account to which. */
export interface BookLine extends LedgerRow {
  /** Null in lines that are older than the accounts. */
  readonly from: string | null;
  readonly to: string | null;
  /** The transaction that moved it, or the owner's reason. */
  readonly note: string | null;
}

/** The columns of the books as CSV, in their order. */
export const bookColumns = [...ledgerColumns, 'from', 'to', 'note'] as const satisfies readonly (keyof BookLine)[];
