import type { Database } from 'better-sqlite3';
import { randomBytes } from 'node:crypto';

/** How far a database has come: each number only grows while it lives. */
export interface Position {
  /** Made with the database, and the same in every copy of it. */
  readonly folder: string;
  /** Of its seed, and tells nothing else of that. */
  readonly seed: string;
  /** How often it was found to be older than what happened, and went on from there. */
  readonly life: number;
  /** Transitions of swaps, and the first index that no swap, own swap or note of a call has. */
  readonly journal: number;
  readonly swap: number;
  readonly taker: number;
  readonly intents: number;
}

/** What each number of a position is called where it is compared. */
const counted = ['journal', 'swap', 'taker', 'intents'] as const;

/**
 * Whether one position comes after another of the same database: of two that went different ways from one copy, that
 * with the later life. What was noted in a former life is behind, however far it was: it was judged when that life
 * ended.
 */
export function isAhead(mark: Position, of: Position): boolean {
  if (mark.folder !== of.folder || mark.seed !== of.seed) return false;
  if (mark.life !== of.life) return mark.life > of.life;
  return counted.some((name) => mark[name] > of[name]);
}

/** The one that came furthest with own swaps; null for none. */
export function furthestOf(marks: readonly Position[]): Position | null {
  return marks.toSorted((one, other) => other.taker - one.taker)[0] ?? null;
}

/** Read outside of a transaction: what is not durable yet is no position. */
export function positionOf(db: Database, seed: string): Position {
  const count = db.prepare<[string], { next: number }>(`SELECT next FROM counters WHERE name = ?`);
  const transitions = db.prepare<[], { seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'journal'`).get();
  const next = (name: string): number => count.get(name)?.next ?? 0;
  return {
    folder: folderOf(db),
    seed,
    life: next(lives),
    journal: transitions?.seq ?? 0,
    swap: next('swap'),
    taker: next('taker'),
    intents: next('intents'),
  };
}

/** The counter of lives. */
export const lives = 'life';

function folderOf(db: Database): string {
  const made = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'folder'`).get()?.value;
  if (made !== undefined) return made;
  const folder = randomBytes(16).toString('hex');
  db.prepare(`INSERT INTO meta (key, value) VALUES ('folder', ?)`).run(folder);
  return folder;
}
