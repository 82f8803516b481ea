import type { Guard } from './guard.ts';
import { inBackground } from './background.ts';
import type { Log } from './log.ts';

const everyMs = 5_000;
/** A timer this late means that the machine slept, or that its clock was moved. */
const sleptMs = 60_000;
const cause = 'asleep';

/**
 * Notices that the machine slept or that its clock jumped: new swaps wait until everything open was looked at again
 * (facts/faults.md 39).
 */
export function createWakefulness(options: { guard: Guard; log: Log; lookAgain: () => Promise<void> }) {
  const { guard, log } = options;
  let timer: NodeJS.Timeout | null = null;
  let last = Date.now();

  async function tick(): Promise<void> {
    const now = Date.now();
    const gap = Math.abs(now - last - everyMs);
    last = now;
    if (gap < sleptMs) return;
    log.warn(
      { seconds: Math.round(gap / 1_000) },
      'the machine slept or its clock jumped; everything is looked at again',
    );
    guard.raise(cause, 'The machine has just woken up: new swaps wait until everything open was looked at.');
    try {
      await options.lookAgain();
    } finally {
      guard.lower(cause);
    }
  }

  return {
    tick,
    start(): void {
      last = Date.now();
      timer = setInterval(() => inBackground(log, 'looking whether the machine slept', tick), everyMs);
    },
    stop(): void {
      if (timer !== null) clearInterval(timer);
    },
  };
}
