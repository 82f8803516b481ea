import type { Txid } from '../../domain/outpoint.ts';
import type { Store } from '../../store/store.ts';
import { NotYet } from '../not-yet.ts';

/** The database lets each coin be reserved once. */
export function isTaken(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/** Saves what promises coins. Where another transaction was promised one of them meanwhile, all is prepared again. */
export function unlessTaken(save: () => void, sentence: string): void {
  try {
    save();
  } catch (cause) {
    if (!isTaken(cause)) throw cause;
    throw new NotYet(null, sentence);
  }
}

/**
 * Whether a funding of ours spends what this one makes: it was mined, and a reorganisation took both back. Another one
 * in its place would unmake the funding, for which a client may have shown its secret (facts/faults.md 205); the
 * funding's child pays for both.
 */
export function carriesFunding(txid: Txid, { transactions }: Pick<Store, 'transactions'>): boolean {
  return transactions.spenders(txid).some(({ purpose }) => purpose === 'fund');
}
