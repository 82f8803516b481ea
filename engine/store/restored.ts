import type { Database } from 'better-sqlite3';
import { copiedAt } from './backup.ts';
import type { HighWater } from './high-water.ts';
import { intentsCounter } from './intents.ts';
import type { Position } from './position.ts';
import { leftOut } from './seed-marks.ts';

/**
 * A database that is older than what happened: what is to be told, and the first key index that was surely never used.
 */
export interface Restored {
  readonly firstIndex: number;
  /** Unix seconds of the backup, null where it was copied by other means. */
  readonly copiedAt: number | null;
  /**
   * The first number that no note of what the Lightning node was told can have, null where the count of them is level.
   */
  readonly firstIntent: number | null;
  /** What showed it, where that was not the folder itself; left out for a database that is behind its own folder. */
  readonly by?: Doubt;
  /** The last life of the database that anything shows; this one's own where it is left out. */
  readonly pastLife?: number;
}

/** Marks outside of the folder; a network, with what it shows; a provider, with what it shows. */
export type Doubt =
  | { readonly is: 'outside' }
  | { readonly is: 'networks'; readonly shown: string }
  | { readonly is: 'keys'; readonly shown: string };

/**
 * Null for the database that this folder was last used with. Five signs that it is not (facts/faults.md 5, 72): the
 * marks beside it are further than it is, with swaps or, from `forgotten` on, with what the Lightning node was told for
 * them or a refund that was signed; it says itself that it is a copy; there are swaps in it and no marks beside it, as
 * in a folder on a new disk; or marks outside of the folder are further than all of it.
 */
export function restoredFrom(
  db: Database,
  counter: number,
  highWater: HighWater,
  forgotten: number | null = null,
  outside: readonly Position[] = [],
): Restored | null {
  const copied = copiedAt(db);
  const ahead = highWater.ahead(counter);
  const elsewhere = counter > 0 && highWater.floor() === 0;
  const ofFolder = copied !== null || ahead !== null || elsewhere || forgotten !== null;
  if (!ofFolder && outside.length === 0) return null;
  const past = outside.length === 0 ? null : rolledBack(counter, outside);
  return {
    firstIndex: Math.max(
      elsewhere ? counter + leftOut : Math.max(ahead ?? counter, highWater.floor()),
      past?.firstIndex ?? 0,
    ),
    copiedAt: copied,
    firstIntent: past === null ? forgotten : Math.max(forgotten ?? 0, past.firstIntent ?? 0),
    ...(past === null ? {} : { pastLife: past.pastLife ?? 0 }),
    ...(past === null || ofFolder ? {} : { by: { is: 'outside' as const } }),
  };
}

/** By the marks that are ahead: they follow within seconds, so what came after them is left out as well. */
export function rolledBack(counter: number, outside: readonly Position[]): Restored {
  const most = (name: 'swap' | 'intents' | 'life'): number => Math.max(...outside.map((mark) => mark[name]));
  return {
    firstIndex: Math.max(counter, most('swap')) + leftOut,
    copiedAt: null,
    firstIntent: most('intents') + leftOut,
    by: { is: 'outside' },
    pastLife: most('life'),
  };
}

/** By what else shows it; nobody can say then how many were used. */
export function suspected(counters: { peek(name: string): number }, by: Doubt): Restored {
  return {
    firstIndex: counters.peek('swap') + leftOut,
    copiedAt: null,
    firstIntent: counters.peek(intentsCounter) + leftOut,
    by,
  };
}
