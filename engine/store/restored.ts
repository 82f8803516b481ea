import type { Database } from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { copiedAt } from './backup.ts';
import { createHighWater, type HighWater } from './high-water.ts';
import { databasePath } from './inspect.ts';

/** Key indices left out where nobody can say how many were used since the backup: more swaps than a node opens in weeks. */
const leftOut = 10_000;

/**
 * A seed that was used in another folder comes to one without a database. Its first start counts as one on a database that
 * lacks everything: keys that may have been used are left out, and locks of before are looked for (facts/faults.md 5).
 */
export function seedFromElsewhere(dataDir: string): void {
  if (!existsSync(databasePath(dataDir))) createHighWater(dataDir).used(leftOut - 1);
}

/** A database that is older than what happened: what is to be told, and the first key index that was surely never used. */
export interface Restored {
  readonly firstIndex: number;
  /** Unix seconds of the backup, null where it was copied by other means. */
  readonly copiedAt: number | null;
  /** The first number that no note of what the Lightning node was told can have, null where the count of them is level. */
  readonly firstIntent: number | null;
}

/**
 * Null for the database that this folder was last used with. Four signs that it is not (facts/faults.md 5): the marks beside it
 * are further than it is, with swaps or, from `forgotten` on, with what the Lightning node was told for them or a refund that was signed; it says itself that
 * it is a copy; or there are swaps in it and no marks beside it, as in a folder on a new disk.
 */
export function restoredFrom(
  db: Database,
  counter: number,
  highWater: HighWater,
  forgotten: number | null = null,
): Restored | null {
  const copied = copiedAt(db);
  const ahead = highWater.ahead(counter);
  const elsewhere = counter > 0 && highWater.floor() === 0;
  if (copied === null && ahead === null && !elsewhere && forgotten === null) return null;
  return {
    firstIndex: elsewhere ? counter + leftOut : Math.max(ahead ?? counter, highWater.floor()),
    copiedAt: copied,
    firstIntent: forgotten,
  };
}
