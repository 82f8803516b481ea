import { list } from '../../runtime/listing.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { isStorageFailure } from '../../store/failure.ts';

/** Swaps of one transaction. */
const atOnce = 500;

/**
 * Lists what was saved without being listed, by a former build or by whatever changed a row aside from a commit; at the
 * start, before anybody looks.
 */
export function listAnew({ store, workingSet, clock, log }: Runtime): void {
  try {
    for (let ids = store.takerSwaps.staleAfter('', atOnce); ids.length > 0;) {
      const entries = ids.map((id) => workingSet.readable(id)).filter((entry) => entry !== null);
      store.atomically(() => {
        for (const entry of entries) list(store, entry, clock.now(), log);
      });
      ids = store.takerSwaps.staleAfter(ids.at(-1) ?? '', atOnce);
    }
  } catch (cause) {
    if (!isStorageFailure(cause)) throw cause;
    log.warn(
      { cause: String(cause) },
      'the list of own swaps could not be written: it may lack some until the next start',
    );
  }
}
