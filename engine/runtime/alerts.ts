import type { Unix } from '../domain/time.ts';
import { createRepetitions, withoutNumbers } from './repetitions.ts';
import { createSignal } from './signal.ts';

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
  const raised = createSignal<Alert>();
  const repetitions = createRepetitions(wall);

  return {
    raise(swap: string | null, sentence: string): void {
      const { count, tell } = repetitions.count(`${swap ?? ''} ${withoutNumbers(sentence)}`);
      if (tell) raised.tell({ swap, sentence, count });
    },
    on: raised.on,
  };
}

export type Alerts = ReturnType<typeof createAlerts>;
