import type { Log } from './log.ts';

/**
 * Runs what nobody waits for. Whatever it fails with, a broken disk or a bug, is logged and ends nothing else: left
 * alone, a rejected promise or a throw inside a timer ends the process, and open swaps with it.
 */
export function inBackground(log: Log, what: string, work: () => unknown): void {
  Promise.resolve()
    .then(work)
    .catch((cause: unknown) =>
      log.error(
        { what, cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) },
        'work in the background failed',
      ),
    );
}
