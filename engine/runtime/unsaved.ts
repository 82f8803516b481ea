import type { Alerts } from './alerts.ts';
import type { Unsaved } from './commit.ts';
import type { FromMemory } from './from-memory.ts';
import type { Guard } from './guard.ts';
import type { Log } from './log.ts';

/**
 * What could not be saved, for the disk is full or broken: tried again each second, while claims go on from memory
 * (facts/faults.md 3).
 */
export function createUnsaved({
  guard,
  alerts,
  log,
  fromMemory,
  onBug,
}: {
  readonly guard: Guard;
  readonly alerts: Alerts;
  readonly log: Log;
  readonly fromMemory: Pick<FromMemory, 'claim' | 'saved'>;
  readonly onBug: (swap: string, cause: unknown) => void;
}) {
  const retries = new Map<string, NodeJS.Timeout>();

  /** Polls bring the same news again and again while the disk is full: one of each waits to be saved. */
  function add(cause: unknown, { swap, key, retry, step }: Unsaved): void {
    log.error({ swap, cause: String(cause) }, 'the database cannot be written');
    guard.raise(
      'store',
      'The database cannot be written: free disk space, or look at the disk; new swaps wait until then.',
    );
    if (retries.size === 0)
      alerts.raise(
        null,
        'The database cannot be written: free disk space at once, or repair the disk; open swaps depend on it.',
      );
    if (step !== null) fromMemory.claim(swap, step);
    if (retries.has(key)) return;
    const timer = setTimeout(() => {
      retries.delete(key);
      try {
        retry();
        if (!retries.has(key)) fromMemory.saved(swap);
      } catch (bug) {
        onBug(swap, bug);
      }
      if (retries.size === 0) guard.lower('store');
    }, 1_000);
    retries.set(key, timer);
  }

  return {
    add,
    stop(): void {
      for (const timer of retries.values()) clearTimeout(timer);
    },
  };
}
