import type { Outpoint } from '../../domain/outpoint.ts';
import type { Store } from '../../store/store.ts';
import type { SwapRow } from '../../store/swaps.ts';

export type Transactions = Pick<Store['transactions'], 'byId'>;

/**
 * How a loose lock's swap ended; null while that is not known. Nothing of ours is out once a swap is over, unless it is
 * lost, nor ever will be once it is given up, but for what may come all the same. In a database that was restored the
 * lock of one that was never paid for may be forgotten, and counts on.
 */
export function endOf(row: SwapRow, isOlder: boolean, transactions: Transactions): 'well' | 'lost' | null {
  const { open, progress } = row;
  const state = progress as { readonly at: string; readonly doubt?: object; readonly returned?: object };
  if (state.at === 'lost') return isOlder || isMadeHere(row, transactions) ? 'lost' : 'well';
  const isGivenUp = state.at === 'stopped' && state.doubt === undefined;
  return isSeenWell(state) || (!isOlder && (!open || isGivenUp)) ? 'well' : null;
}

/** By which it is seen that ours is paid for, or back; what the client has again says nothing of ours. */
function isSeenWell({ at, returned }: { readonly at: string; readonly returned?: object }): boolean {
  return at === 'claimed' || at === 'returned' || (at === 'refunded' && returned !== undefined);
}

/**
 * Whether the lock is by a transaction of this node: a coin of the same amount that lay at the script before it is
 * taken for the lock, and a client that paid it to itself takes nothing of ours with it.
 */
function isMadeHere({ progress }: SwapRow, transactions: Transactions): boolean {
  const { lock } = progress as { readonly lock?: Outpoint };
  return lock === undefined || transactions.byId(lock.txid) !== null;
}
