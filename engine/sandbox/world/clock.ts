import type { Journal } from './journal.ts';

/** The one clock of all sandbox networks: wall time plus an offset that only ever grows. */
export interface WorldClock {
  /** Unix seconds. */
  now(): number;
  /** Median time past of the Bitcoin tip, unix seconds. */
  mtp(): number;
  /** Height of the Bitcoin tip. */
  height(): number;
  /** The Bitcoin tip's own time, unix seconds. */
  tipTime(): number;
  /** Called after the clock was advanced or a block came; returns how to stop being called. */
  onChange(listener: () => void): () => void;
}

/** The time half of the world clock; blocks are the other half. */
export interface WorldTime {
  /** Unix seconds, never less than any earlier answer. */
  now(): number;
  /** Moves time forward and remembers it. */
  advance(seconds: number): void;
}

export const clockTable = 'clock';
/** A reading is written down at least this often, so that a machine clock set back cannot take back more. */
const rememberEvery = 60;

export function createTime(journal: Journal, wall: () => number = machineTime): WorldTime {
  const saved = new Map(journal.rows(clockTable).map(([key, row]) => [key, row as number]));
  let offset = saved.get('offset') ?? 0;
  let highest = saved.get('highest') ?? 0;
  let remembered = highest;

  function now(): number {
    highest = Math.max(highest, wall() + offset);
    if (highest >= remembered + rememberEvery) remember();
    return highest;
  }

  function remember(): void {
    remembered = highest;
    journal.put(clockTable, 'highest', highest);
  }

  return {
    now,
    advance(seconds) {
      if (!Number.isSafeInteger(seconds) || seconds < 0) {
        throw new RangeError(`the clock moves forward by whole seconds, not by ${seconds}`);
      }
      const before = now();
      offset = before + seconds - wall();
      highest = before + seconds;
      journal.atomically(() => {
        journal.put(clockTable, 'offset', offset);
        remember();
      });
    },
  };
}

function machineTime(): number {
  return Math.floor(Date.now() / 1000);
}
