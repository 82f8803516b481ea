import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import type { Clocks } from '../domain/time.ts';
import type { Log } from './log.ts';
import type { Entry } from './working-set.ts';

/**
 * Puts a swap as it is saved into the list of the owner's own. Only finding it hangs on that: what fails here undoes no
 * commit.
 */
export function list(store: Pick<Store, 'takerSwaps'>, { row, machine }: Entry, now: Clocks, log: Log): void {
  if (machine.listing === undefined) return;
  try {
    store.takerSwaps.write(row, machine.listing(row.terms, row.progress, now));
  } catch (cause) {
    if (isStorageFailure(cause)) throw cause;
    log.warn(
      { swap: row.id, cause: String(cause) },
      'a swap could not be listed: it may not be found until the next start',
    );
  }
}
