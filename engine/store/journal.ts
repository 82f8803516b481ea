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
  const forget = db.prepare(`DELETE FROM journal WHERE subject = ?`);
  return {
    write(subject: string, line: JournalLine): void {
      insert.run(subject, line.time, line.event, line.from, line.to, line.effects.join(' '));
    },
    forget(subject: string): void {
      forget.run(subject);
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
