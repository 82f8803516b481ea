import type { Database } from 'better-sqlite3';

export interface JournalLine {
  readonly time: number;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly effects: readonly string[];
}

/** What every swap went through, one line a transition; names only, so that no secret can get in. */
export function journalTable(db: Database) {
  const insert = db.prepare(
    `INSERT INTO journal (subject, time, event, was_at, at, effects) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const bySubject = db.prepare<[string], { time: number; event: string; was_at: string; at: string; effects: string }>(
    `SELECT time, event, was_at, at, effects FROM journal WHERE subject = ? ORDER BY id`,
  );
  const entered = db.prepare<[string, string], { id: number | null }>(
    `SELECT max(id) AS id FROM journal WHERE subject = ? AND at = ? AND was_at <> at`,
  );
  const forget = db.prepare(`DELETE FROM journal WHERE subject = ?`);
  return {
    write(subject: string, line: JournalLine): void {
      insert.run(subject, line.time, line.event, line.from, line.to, line.effects.join(' '));
    },
    forget(subject: string): void {
      forget.run(subject);
    },
    /** When a swap came to a state last, as a place in the order of all lines; 0 where none tells. */
    entered(subject: string, at: string): number {
      return entered.get(subject, at)?.id ?? 0;
    },
    of(subject: string): JournalLine[] {
      return bySubject.all(subject).map((row) => ({
        time: row.time,
        event: row.event,
        from: row.was_at,
        to: row.at,
        effects: row.effects === '' ? [] : row.effects.split(' '),
      }));
    },
  };
}
