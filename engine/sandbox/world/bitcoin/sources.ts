import type { Journal } from '../journal.ts';

/** Whether those answer whom the node asks about the chain. The chain itself goes on meanwhile. */
export interface Sources {
  is(): 'away' | 'back';
  set(is: 'away' | 'back'): void;
}

const table = 'bitcoin_sources';

export function createSources(journal: Journal): Sources {
  let is: 'away' | 'back' = new Map(journal.rows(table)).get('is') === 'away' ? 'away' : 'back';
  return {
    is: () => is,
    set(now) {
      journal.put(table, 'is', now);
      is = now;
    },
  };
}
