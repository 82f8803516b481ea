import { useSyncExternalStore } from 'react';
import { useRecords } from './records.ts';

/** Unix seconds on this machine's clock, new once a second for everything that shows time left. */
export function useNow(): number {
  return useSyncExternalStore(tick, now, now);
}

/** What has passed since the records were read: times that the node told are that much older. */
export function useAge(): number {
  const readAt = useRecords((state) => state.readAt);
  const current = useNow();
  return readAt === null ? 0 : Math.max(0, current - Math.floor(readAt));
}

/** The clock of the sandbox's networks, this machine's elsewhere. */
export function useClock(): number {
  const sandbox = useRecords((state) => state.sandbox);
  const age = useAge();
  const current = useNow();
  return sandbox === null ? current : sandbox.clock + age;
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}

function tick(changed: () => void): () => void {
  const timer = setInterval(changed, 1_000);
  return () => clearInterval(timer);
}
