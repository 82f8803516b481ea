import type { Database } from 'better-sqlite3';
import type { Hash160 } from '../domain/hash.ts';
import type { countersTable } from './counters.ts';

/** Counts every note that was ever made: the mark beside the database follows it. */
export const intentsCounter = 'intents';

/** What a Lightning node can be told to do under a hash: make a hold invoice, or pay. And what closes a swap for its payment: a refund that we sign. */
export type Act = 'invoice' | 'payment' | 'refund';

/**
 * What was handed to the Lightning node, or to a client for its refund, noted before each call. An invoice or payment that is found under a hash is
 * ours only when such a note came before it; whatever else is found is a stranger's (facts/faults.md 46, 47). A create that was
 * abandoned leaves its note: its invoice may still come.
 */
export function intentsTable(db: Database, counters: ReturnType<typeof countersTable>, noted: (index: number) => void) {
  const insert = db.prepare(`INSERT INTO intents (act, subject, hash160) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`);
  const has = db.prepare<[Act, string], { found: number }>(`SELECT 1 AS found FROM intents WHERE act = ? AND subject = ?`);
  const any = db.prepare<[Act, Uint8Array], { found: number }>(`SELECT 1 AS found FROM intents WHERE act = ? AND hash160 = ?`);
  const drop = db.prepare(`DELETE FROM intents WHERE act = ? AND subject = ?`);
  const dropAll = db.prepare(`DELETE FROM intents WHERE act = ? AND hash160 = ?`);
  const forget = db.prepare(`DELETE FROM intents WHERE subject = ?`);
  const noteOpen = db.prepare(`
    INSERT INTO intents (act, subject, hash160)
      SELECT CASE swaps.machine WHEN 'lightning-arkade' THEN 'invoice' ELSE 'payment' END, swaps.id, hashes.hash160
      FROM swaps LEFT JOIN hashes ON hashes.swap_id = swaps.id
      WHERE swaps.open = 1 AND swaps.machine IN ('lightning-arkade', 'arkade-lightning', 'withdraw-lightning')
    ON CONFLICT DO NOTHING`);
  const noteSigned = db.prepare(`
    INSERT INTO intents (act, subject, hash160)
      SELECT 'refund', swaps.id, hashes.hash160 FROM swaps LEFT JOIN hashes ON hashes.swap_id = swaps.id
      WHERE swaps.open = 1 AND swaps.machine = 'arkade-lightning'
    ON CONFLICT DO NOTHING`);
  const save = db.transaction((act: Act, subject: string, hash: Hash160) => (insert.run(act, subject, hash).changes === 0 ? null : counters.take(intentsCounter)));
  return {
    /** Before the call. */
    note(act: Act, subject: string, hash: Hash160): void {
      const index = save.immediate(act, subject, hash);
      if (index !== null) noted(index);
    },
    /** Whether this very swap may have had it done. */
    has(act: Act, subject: string): boolean {
      return has.get(act, subject) !== undefined;
    },
    /** Whether any swap of this database may have, also one that was abandoned since. */
    known(act: Act, hash: Hash160): boolean {
      return any.get(act, hash) !== undefined;
    },
    /** It is known that the call never reached the node. */
    drop(act: Act, subject: string): void {
      drop.run(act, subject);
    },
    /** It is known that what stands under this hash is not ours. */
    disown(act: Act, hash: Hash160): void {
      dropAll.run(act, hash);
    },
    /** The swap is over: what stands under its hash, which no other swap will ever have, is asked about no more. */
    forget(subject: string): void {
      forget.run(subject);
    },
    /** In a database that is older than what happened every open swap may have begun what was forgotten, or its refund been signed. */
    noteOpen(): void {
      noteOpen.run();
      noteSigned.run();
    },
  };
}
