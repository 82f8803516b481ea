import type { Journal } from '../journal.ts';

/** What goes wrong on request, remembered: a fault outlives the end of the process. */
export interface FaultBook {
  get(fault: Fault): boolean;
  set(fault: Fault, on: boolean): void;
  /** Whether it was on; it befalls one only. */
  take(fault: Fault): boolean;
}

type Fault = 'away' | 'loseNext' | 'dropNext' | 'endRound';

const table = 'arkade.fault';

export function openFaultBook(journal: Journal): FaultBook {
  const on = new Set(journal.rows(table).map(([fault]) => fault as Fault));

  function set(fault: Fault, wanted: boolean): void {
    if (wanted === on.has(fault)) return;
    if (wanted) {
      journal.put(table, fault, true);
      on.add(fault);
    } else {
      journal.remove(table, fault);
      on.delete(fault);
    }
  }
  return {
    get: (fault) => on.has(fault),
    set,
    take(fault) {
      const was = on.has(fault);
      set(fault, false);
      return was;
    },
  };
}
