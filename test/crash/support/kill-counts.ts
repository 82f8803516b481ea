import Database from 'better-sqlite3';
import { join } from 'node:path';
import type { CrashDirection } from './verdict.ts';

/** Of one node that serves many directions: which of them its kills met. */
export interface KillCounts {
  /** Reads the disk of a node that was killed just now. */
  killed(): void;
  of(direction: CrashDirection): number;
  /** Those that were met less often than that. */
  below(count: number): CrashDirection[];
}

/**
 * A kill is one of a direction when the node's database has an open swap of it that it has seen the client's money for:
 * what nobody paid yet stays open for half an hour, and a death beside it proves little.
 */
export function countKills(dataDir: string, directions: readonly CrashDirection[]): KillCounts {
  const counts = new Map(directions.map((direction) => [direction, 0]));
  const of = (direction: CrashDirection): number => counts.get(direction) ?? 0;
  return {
    killed() {
      const met = inFlight(dataDir);
      for (const direction of directions) if (met.has(direction)) counts.set(direction, of(direction) + 1);
    },
    of,
    below: (count) => directions.filter((direction) => of(direction) < count),
  };
}

function inFlight(dataDir: string): ReadonlySet<string> {
  const db = new Database(join(dataDir, 'sluice.db'), { readonly: true });
  try {
    const read = db.prepare<[], { readonly machine: string }>(
      "SELECT DISTINCT machine FROM swaps WHERE open = 1 AND status NOT IN ('pending', 'expired')",
    );
    return new Set(read.all().map(({ machine }) => machine));
  } finally {
    db.close();
  }
}
