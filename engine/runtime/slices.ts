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
 * Who left does not count among them; its work sees itself that nobody waits for it.
 */
export function lane(mostWaiting: number): <T>(work: () => Promise<T>, left?: AbortSignal) => Promise<T> | null {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (work, left) => {
    if (waiting >= mostWaiting) return null;
    waiting += 1;
    let waits = true;
    const leave = (): void => {
      if (waits) waiting -= 1;
      waits = false;
    };
    left?.addEventListener('abort', leave, { once: true });
    const done = last.then(work).finally(() => {
      leave();
      left?.removeEventListener('abort', leave);
    });
    last = done.catch(() => undefined);
    return done;
  };
}
