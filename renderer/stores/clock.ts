import { useSyncExternalStore } from 'react';

/** Unix seconds on this machine's clock, new once a second for everything that shows time left. */
export function useNow(): number {
  return useSyncExternalStore(tick, now);
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

function tick(changed: () => void): () => void {
  const timer = setInterval(changed, 1_000);
  return () => clearInterval(timer);
}
