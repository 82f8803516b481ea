import { day, hasPassed, hour, type Unix } from '../domain/time.ts';

/** Something to be told to a person. */
export interface Alert {
  /** Null for what concerns the node as a whole. */
  readonly swap: string | null;
  readonly sentence: string;
  /** How often it happened since it was told first. */
  readonly count: number;
}

interface Repetition {
  readonly count: number;
  readonly last: Unix;
  readonly toldAt: Unix;
}

/**
 * More than that at once is no list that anybody reads: the oldest are forgotten, and told afresh should they come
 * back.
 */
const mostKnown = 2_000;

/**
 * The same alert is counted and not told again (facts/faults.md 50), but at its tenth, hundredth, thousandth time, and
 * once an hour. Sentences that differ in numbers alone, a height or a sum that moves, are the same.
 */
export function createAlerts(wall: () => Unix) {
  const listeners = new Set<(alert: Alert) => void>();
  const repetitions = new Map<string, Repetition>();

  return {
    raise(swap: string | null, sentence: string): void {
      const key = `${swap ?? ''} ${sentence.replaceAll(/\d+/g, '0')}`;
      const now = wall();
      const before = repetitions.get(key);
      const again = before !== undefined && !hasPassed(day, before.last, now);
      const count = again ? before.count + 1 : 1;
      const tell = !again || Number.isInteger(Math.log10(count)) || hasPassed(hour, before.toldAt, now);
      repetitions.delete(key);
      repetitions.set(key, { count, last: now, toldAt: tell ? now : before.toldAt });
      if (repetitions.size > mostKnown)
        for (const oldest of [...repetitions.keys()].slice(0, repetitions.size - mostKnown)) repetitions.delete(oldest);
      if (tell) for (const listener of listeners) listener({ swap, sentence, count });
    },
    on(listener: (alert: Alert) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type Alerts = ReturnType<typeof createAlerts>;
