import { clearInterval as endInterval, setInterval as usualInterval } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { vi } from 'vitest';

const stepMs = 5;
/**
 * Nanoseconds that each step takes at least: the disk is no quicker than it is, and a file that is synced must not seem
 * to take seconds.
 */
const leastStepNs = 150_000n;

/**
 * Pauses of this process pass as fast as its work allows: whenever the event loop has turned, its timers and its
 * `performance.now()` are 5 ms on. Everything comes in the order in which it would come with time, so a pause that is
 * missing still shows. Only for what lives in this process: a socket or a child would seem to be slow. `Date`, and what
 * comes from `node:timers`, are not touched. Answers what ends it.
 */
export function quickTime(): () => Promise<void> {
  let over = false;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  const passing = (async () => {
    while (!over) {
      const begun = process.hrtime.bigint();
      do await nextTurn();
      while (process.hrtime.bigint() - begun < leastStepNs);
      await vi.advanceTimersByTimeAsync(stepMs);
    }
  })();
  return async () => {
    over = true;
    await passing;
    vi.useRealTimers();
  };
}

/** What this process does at intervals it does six times as often, where sockets keep everything else in usual time. */
export function quickIntervals(): () => void {
  const beatMs = 50;
  const passing = usualInterval(() => vi.advanceTimersByTime(6 * beatMs), beatMs);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  return () => {
    endInterval(passing);
    vi.useRealTimers();
  };
}
