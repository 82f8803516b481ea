import type { WebContents } from 'electron';

/** A press stays fresh while its owner waits for the answer of a quote, and no longer. */
const freshMs = 10_000;

/**
 * Real presses of keys and buttons in the page's window, seen by the shell and not by the page: a script can call the
 * bridge, it cannot make one. Each press serves once.
 */
export function watchGestures(page: WebContents, now: () => number = () => performance.now()): () => boolean {
  let last: number | null = null;
  page.on('before-input-event', (_, input) => {
    if (input.type === 'keyDown') last = now();
  });
  page.on('before-mouse-event', (_, mouse) => {
    if (mouse.type === 'mouseDown') last = now();
  });
  return () => {
    const fresh = last !== null && now() - last <= freshMs;
    last = null;
    return fresh;
  };
}
