import type { Database } from 'better-sqlite3';
import type { Hash160 } from '../domain/hash.ts';
import type { NotedAct } from '../swap/machine.ts';
import type { countersTable } from './counters.ts';
import { isStorageFailure } from './failure.ts';

/** Counts every note that was ever made: the mark beside the database follows it. */
export const intentsCounter = 'intents';

/**
 * What was handed to the Lightning node, or to a client for its refund, noted before each call. An invoice or payment
 * that is found under a hash is ours only when such a note came before it; whatever else is found is a stranger's
 * (facts/faults.md 46, 47). A create that was abandoned leaves its note: its invoice may still come.
 */
export function intentsTable(db: Database, counters: ReturnType<typeof countersTable>, noted: (index: number) => void) {
  const insert = db.prepare(`INSERT INTO intents (act, subject, hash160) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`);
  const has = db.prepare<[NotedAct, string], { one: number }>(
    `SELECT 1 AS one FROM intents WHERE act = ? AND subject = ?`,
  );
  const any = db.prepare<[NotedAct, Uint8Array], { one: number }>(
    `SELECT 1 AS one FROM intents WHERE act = ? AND hash160 = ?`,
  );
  const drop = db.prepare(`DELETE FROM intents WHERE act = ? AND subject = ?`);
  const dropAll = db.prepare(`DELETE FROM intents WHERE act = ? AND hash160 = ?`);
  const forget = db.prepare(`DELETE FROM intents WHERE subject = ?`);
  const noteOpen = db.prepare(`
    INSERT INTO intents (act, subject, hash160)
      SELECT ?, swaps.id, hashes.hash160 FROM swaps LEFT JOIN hashes ON hashes.swap_id = swaps.id
      WHERE swaps.open = 1 AND swaps.machine = ?
    ON CONFLICT DO NOTHING`);
  /** Notes of calls that reached nobody, of which no disk let go yet: to this process they are none. */
  const undone = new Map<string, () => void>();

  /** What counts as noted whatever this disk takes: it was noted elsewhere. */
  const assumed = new Set<string>();

  function letGo(): void {
    if (db.inTransaction) return;
    try {
      for (const [key, again] of undone) {
        again();
        undone.delete(key);
      }
    } catch (cause) {
      if (!isStorageFailure(cause)) throw cause;
    }
  }

  const save = db.transaction((act: NotedAct, subject: string, hash: Hash160 | null) =>
    insert.run(act, subject, hash).changes === 0 ? null : counters.take(intentsCounter),
  );
  return {
    /** Before the call. The hash is null where nothing is ever looked for under it. */
    note(act: NotedAct, subject: string, hash: Hash160 | null): void {
      const index = save.immediate(act, subject, hash);
      undone.delete(`${act} ${subject}`);
      letGo();
      if (index !== null) noted(index);
    },
    /** It counts from here on, in this process, before it is noted (facts/faults.md 204). */
    assume(act: NotedAct, subject: string): void {
      assumed.add(`${act} ${subject}`);
    },
    /** Whether this very swap may have had it done. */
    has(act: NotedAct, subject: string): boolean {
      const key = `${act} ${subject}`;
      return assumed.has(key) || (!undone.has(key) && has.get(act, subject) !== undefined);
    },
    /** Whether any swap of this database may have, also one that was abandoned since. */
    known(act: NotedAct, hash: Hash160): boolean {
      return any.get(act, hash) !== undefined;
    },
    /** It is known that the call reached nobody: its note says nothing from here on (facts/faults.md 202). */
    drop(act: NotedAct, subject: string): void {
      if (db.inTransaction) drop.run(act, subject);
      else {
        undone.set(`${act} ${subject}`, () => drop.run(act, subject));
        letGo();
      }
    },
    /** It is known that what stands under this hash is not ours. */
    disown(act: NotedAct, hash: Hash160): void {
      dropAll.run(act, hash);
    },
    /** The swap is over: what stands under its hash, which no other swap will ever have, is asked about no more. */
    forget(subject: string): void {
      forget.run(subject);
    },
    /**
     * In a database that is older than what happened every open swap may have begun what was forgotten, or its refund
     * been signed.
     */
    noteOpen(machines: Iterable<{ readonly name: string; readonly notes?: readonly NotedAct[] }>): void {
      for (const { name, notes = [] } of machines) for (const act of notes) noteOpen.run(act, name);
    },
  };
}
