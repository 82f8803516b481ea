import type { Alerts } from './alerts.ts';
import type { Unsaved } from './disk-trial.ts';
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
  readonly fromMemory: Pick<FromMemory, 'claim' | 'goesBy' | 'saved'>;
  readonly onBug: (swap: string, cause: unknown) => void;
}) {
  const waiting = new Map<string, { readonly timer: NodeJS.Timeout; retry: Unsaved['retry'] }>();

  function tryAgain(swap: string, key: string): void {
    const retry = waiting.get(key)?.retry;
    waiting.delete(key);
    try {
      retry?.();
    } catch (bug) {
      onBug(swap, bug);
    } finally {
      if (!waiting.has(key)) fromMemory.saved(swap, key);
      if (waiting.size === 0) guard.lower('store');
    }
  }

  /** Polls bring the same news again and again while the disk is full: the last of each waits to be saved. */
  function add(cause: unknown, { swap, key, retry, step }: Unsaved): void {
    log.error({ swap, cause: String(cause) }, 'the database cannot be written');
    guard.raise(
      'store',
      'The database cannot be written: free disk space, or look at the disk; new swaps wait until then.',
    );
    if (waiting.size === 0)
      alerts.raise(
        null,
        'The database cannot be written: free disk space at once, or repair the disk; open swaps depend on it.',
      );
    if (step === null) fromMemory.saved(swap, key);
    else fromMemory.claim(swap, key, step);
    const before = waiting.get(key);
    if (before === undefined) waiting.set(key, { timer: setTimeout(() => tryAgain(swap, key), 1_000), retry });
    else before.retry = retry;
  }

  return {
    add,
    /** By later news of that key the swap does not go by a coin that waits to be saved (facts/faults.md 310). */
    drop(swap: string, key: string): void {
      const one = waiting.get(key);
      if (one === undefined || !fromMemory.goesBy(swap, key)) return;
      one.retry = () => undefined;
      fromMemory.saved(swap, key);
    },
    stop(): void {
      for (const { timer } of waiting.values()) clearTimeout(timer);
    },
  };
}
