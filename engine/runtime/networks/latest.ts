import type { TransactionRow } from '../../store/transactions.ts';

/** Of transactions that replace each other the one that none of them replaces; undefined where there is none. */
export function latestOf<R extends Pick<TransactionRow, 'txid' | 'replaces'>>(rows: readonly R[]): R | undefined {
  const replaced = new Set(rows.map(({ replaces }) => replaces));
  return rows.find(({ txid }) => !replaced.has(txid));
}
