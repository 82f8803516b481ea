import type { Store } from '../store/store.ts';
import type { Alerts } from './alerts.ts';
import type { Log } from './log.ts';
import type { WorkingSet } from './working-set.ts';

/** What stops one swap, is told to its owner, and stops no other one. */
export function createTroubles({
  store,
  workingSet,
  alerts,
  log,
}: {
  readonly store: Store;
  readonly workingSet: WorkingSet;
  readonly alerts: Alerts;
  readonly log: Log;
}) {
  /** A bug in one swap stops that swap, not the node. */
  function flag(id: string, sentence: string): void {
    alerts.raise(id, sentence);
    try {
      const entry = workingSet.find(id);
      if (entry === null || entry.row.flag === sentence) return;
      workingSet.keep(store.swaps.update({ ...entry.row, flag: sentence }));
    } catch (cause) {
      // Told it was, and whoever failed before must not fail by this as well.
      log.error({ swap: id, cause: String(cause) }, 'a flag could not be saved; its owner was told');
    }
  }

  function onBug(id: string, cause: unknown): void {
    log.error(
      { swap: id, cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) },
      'a swap stopped on an internal error',
    );
    flag(id, 'An internal error stopped this swap: look at the log, then retry it.');
  }

  /** One swap that cannot be read, damaged or of a newer build, keeps no other one from its claim. */
  function unread(id: string, cause: unknown): void {
    log.error({ swap: id, cause: String(cause) }, 'a swap cannot be read and is left as it is');
    alerts.raise(
      id,
      'This swap cannot be read from the database and nothing is done for it: start the newest build that ran ' +
        'here, or go back to the newest backup.',
    );
  }

  /** What is owed to one swap and cannot be read keeps no other one from its claim either. */
  function owedUnread(subject: string, cause: unknown): void {
    log.error({ subject, cause: String(cause) }, 'something that is owed cannot be read and is left as it is');
    const sentence =
      'Something that is owed to this swap cannot be read from the database and is not done: start the newest ' +
      'build that ran here, or go back to the newest backup.';
    try {
      flag(subject, sentence);
    } catch (other) {
      // Not even the swap can be read, which is told of by itself.
      log.error({ subject, cause: String(other) }, 'a flag could not be saved; its owner was told');
    }
  }

  return { flag, onBug, unread, owedUnread };
}
