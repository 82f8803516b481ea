import { day, hasPassed, type Unix } from '../../domain/time.ts';

/** Between two tries of what failed again and again. */
const longest = day;

/**
 * What was tried, by its key, and how long it rests before it is tried again: `first` seconds, then `factor` times as
 * long each time, a day at most. A wall that was set back makes no minute a day of it (facts/faults.md 122). It is
 * forgotten with the process: a start tries all once more.
 */
export function createTries({ first, factor }: { readonly first: number; readonly factor: number }) {
  const byKey = new Map<string, { readonly times: number; readonly at: Unix }>();
  return {
    /** `most`: of the rest where something ends before a day has passed. */
    rests(key: string, wall: Unix, most: number = longest): boolean {
      const last = byKey.get(key);
      const rest = Math.min(longest, most, first * factor ** ((last?.times ?? 1) - 1));
      return last !== undefined && !hasPassed(rest, last.at, wall);
    },
    note(key: string, wall: Unix): void {
      byKey.set(key, { times: (byKey.get(key)?.times ?? 0) + 1, at: wall });
    },
  };
}

export type Tries = ReturnType<typeof createTries>;
