import { day, isAhead, unix, type Unix } from '../domain/time.ts';

/** Between two tries of what failed again and again. */
const longest = day;

/**
 * What was tried, by its key, and how long it rests before it is tried again: `first` seconds, then `factor` times as
 * long each time, a day at most. It is forgotten with the process: a start tries all once more.
 */
export function createTries({ first, factor }: { readonly first: number; readonly factor: number }) {
  const byKey = new Map<string, { readonly times: number; readonly notBefore: Unix }>();
  return {
    rests(key: string, wall: Unix): boolean {
      const last = byKey.get(key);
      return last !== undefined && isAhead(last.notBefore, longest, wall);
    },
    note(key: string, wall: Unix): void {
      const times = byKey.get(key)?.times ?? 0;
      byKey.set(key, { times: times + 1, notBefore: unix(wall + Math.min(longest, first * factor ** times)) });
    },
  };
}

export type Tries = ReturnType<typeof createTries>;
