import type { Unix } from '../domain/time.ts';
import { createRepetitions, withoutNumbers } from './repetitions.ts';

/** Something to be told to a person. */
export interface Alert {
  /** Null for what concerns the node as a whole. */
  readonly swap: string | null;
  readonly sentence: string;
  /** How often it happened since it was told first. */
  readonly count: number;
}

/** The same alert is counted and not told again each time (facts/faults.md 50). */
export function createAlerts(wall: () => Unix) {
  const listeners = new Set<(alert: Alert) => void>();
  const repetitions = createRepetitions(wall);

  return {
    raise(swap: string | null, sentence: string): void {
      const { count, tell } = repetitions.count(`${swap ?? ''} ${withoutNumbers(sentence)}`);
      if (tell) for (const listener of listeners) listener({ swap, sentence, count });
    },
    on(listener: (alert: Alert) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type Alerts = ReturnType<typeof createAlerts>;
