/**
 * Time in the sandbox is everybody's: it is moved once, when each of the stops is over or waits for a moment to come, and then past
 * the latest of these.
 */
export function createHourglass(stops: number, moveTo: (time: number) => Promise<void>) {
  const waiting: { readonly time: number; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] =
    [];
  let running = stops;

  async function turn(): Promise<void> {
    if (waiting.length === 0 || waiting.length < running) return;
    const all = waiting.splice(0);
    try {
      await moveTo(Math.max(...all.map(({ time }) => time)));
      for (const { resolve } of all) resolve();
    } catch (error) {
      for (const { reject } of all) reject(error);
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
