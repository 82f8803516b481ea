import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of one piece of long work between two turns of the event loop: claims and deadlines wait no longer. */
const sliceMs = 5;

/** For long work in pieces: awaited between two pieces, it lets the event loop turn once a slice is used up. */
export function slices(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < sliceMs) return undefined;
    return nextTurn().then(() => {
      begun = performance.now();
    });
  };
}

/**
 * Runs one piece of work at a time, in the order of asking; null, and nothing is run, where `mostWaiting` wait already.
 */
export function lane(mostWaiting: number): <T>(work: () => Promise<T>) => Promise<T> | null {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (work) => {
    if (waiting >= mostWaiting) return null;
    waiting += 1;
    const done = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = done.catch(() => undefined);
    return done;
  };
}
