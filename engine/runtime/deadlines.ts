import { latestOf, type Unix } from '../domain/time.ts';
import type { Commits } from './commit.ts';
import type { Clock } from './clock.ts';
import type { Entry } from './working-set.ts';

/**
 * Wakes a swap when time alone can move it, by wall time or by the clock of a chain, whichever is ahead: a machine
 * whose clock is behind must not sit on a refund until lnd gives the held payment back, or until a client has both
 * legs. Whether the deadline has passed is for the swap to say, so it keeps knocking until the swap moves. Walks only
 * the open swaps that have a deadline.
 */
export function createDeadlines(options: {
  commits: Commits;
  clock: Clock;
  everyMs: number;
  /** So many milliseconds after the start time moves nothing: what the networks show comes first. */
  restsMs?: number;
  onFailure: (id: string, cause: unknown) => void;
}) {
  const due = new Map<string, Unix>();
  let timer: NodeJS.Timeout | null = null;
  const begins = performance.now() + (options.restsMs ?? 0);

  function track({ row, machine }: Entry): void {
    const deadline = row.open ? machine.deadline(row.terms, row.progress) : null;
    if (deadline === null) due.delete(row.id);
    else due.set(row.id, deadline);
  }

  function tick(): void {
    if (performance.now() < begins) return;
    const now = latestOf(options.clock.now());
    for (const [id, deadline] of due) {
      if (deadline > now) continue;
      try {
        options.commits.deliver(id, { is: 'clock' });
      } catch (cause) {
        options.onFailure(id, cause);
      }
    }
  }

  return {
    track,
    tick,
    start(): void {
      timer = setInterval(tick, options.everyMs);
    },
    stop(): void {
      if (timer !== null) clearInterval(timer);
    },
  };
}
