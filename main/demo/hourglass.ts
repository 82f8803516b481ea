/**
 * Moments no more than so many seconds apart are passed together. The others are not: what comes too late for one swap
 * must not come too late for all.
 */
const together = 6 * 3_600;

/**
 * Time in the sandbox is everybody's: it is moved when each of the stops is over or waits for a moment to come, past
 * the earliest of these and whatever comes soon after it.
 */
export function createHourglass(stops: number, moveTo: (time: number) => Promise<void>) {
  let waiting: { readonly time: number; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] =
    [];
  let running = stops;

  async function turn(): Promise<void> {
    if (waiting.length === 0 || waiting.length < running) return;
    const last = Math.min(...waiting.map(({ time }) => time)) + together;
    const next = waiting.filter(({ time }) => time <= last);
    waiting = waiting.filter(({ time }) => time > last);
    try {
      await moveTo(Math.max(...next.map(({ time }) => time)));
      for (const { resolve } of next) resolve();
    } catch (error) {
      for (const { reject } of next) reject(error);
    }
  }

  return {
    past(time: number): Promise<void> {
      return new Promise((resolve, reject) => {
        waiting.push({ time, resolve, reject });
        void turn();
      });
    },
    /** A stop is over. */
    over(): void {
      running -= 1;
      void turn();
    },
  };
}
