import type { Journal } from './journal.ts';

/** By how many seconds the clock of the node's own machine is wrong. The networks know nothing of it. */
export interface Skew {
  seconds(): number;
  set(seconds: number): void;
}

const table = 'clock_skew';

export function createSkew(journal: Journal): Skew {
  const saved = new Map(journal.rows(table)).get('seconds');
  let seconds = typeof saved === 'number' ? saved : 0;
  return {
    seconds: () => seconds,
    set(wrong) {
      journal.put(table, 'seconds', wrong);
      seconds = wrong;
    },
  };
}
