import type { Database } from 'better-sqlite3';

/** Key indices. An index is saved before its key is used, and never handed out twice. */
export function countersTable(db: Database) {
  const bump = db.prepare<[string, number, number], { next: number }>(
    'INSERT INTO counters (name, next) VALUES (?, ? + 1) ON CONFLICT (name) DO UPDATE SET next = max(next + 1, ? ' +
      '+ 1) RETURNING next',
  );
  const read = db.prepare<[string], { next: number }>(`SELECT next FROM counters WHERE name = ?`);
  return {
    /** The next index, at least `floor`. */
    take(name: string, floor = 0): number {
      // Read to its end: the driver's `get` drops what the commit comes to (facts/faults.md 195).
      const [row] = bump.all(name, floor, floor);
      if (row === undefined) throw new Error(`the counter ${name} could not be moved`);
      return row.next - 1;
    },
    peek(name: string): number {
      return read.get(name)?.next ?? 0;
    },
  };
}
