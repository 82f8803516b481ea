import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Journal } from './journal.ts';

export interface SqliteJournal extends Journal {
  /** Drops every row of every other table. */
  forgetAllBut(tables: readonly string[]): void;
  close(): void;
}

/**
 * A journal in one SQLite file. `synchronous=OFF` hands every change to the operating system at commit, which is what
 * survives the end of the process. The file stays locked to the process that opened it; a second one gets `'locked'`.
 */
export function openSqliteJournal(file: string): SqliteJournal | 'locked' {
  // Made here when it is new, for its owner alone: it holds keys.
  closeSync(openSync(file, 'a', 0o600));
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = OFF');
    database.exec(
      'CREATE TABLE IF NOT EXISTS row (area TEXT NOT NULL, key TEXT NOT NULL, row TEXT NOT NULL, PRIMARY KEY ' +
        '(area, key)) STRICT, WITHOUT ROWID',
    );
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return 'locked';
    throw error;
  }
  const put = database.prepare(
    'INSERT INTO row (area, key, row) VALUES (?, ?, ?) ON CONFLICT (area, key) DO UPDATE SET row = excluded.row',
  );
  const remove = database.prepare('DELETE FROM row WHERE area = ? AND key = ?');
  const rows = database.prepare<[string], { key: string; row: string }>(
    'SELECT key, row FROM row WHERE area = ? ORDER BY key',
  );
  return {
    put: (area, key, row) => void put.run(area, key, JSON.stringify(row)),
    remove: (area, key) => void remove.run(area, key),
    rows: (area) => rows.all(area).map(({ key, row }) => [key, JSON.parse(row)]),
    atomically: (work) => database.transaction(work)(),
    forgetAllBut: (areas) =>
      void database
        .prepare('DELETE FROM row WHERE area NOT IN (SELECT value FROM json_each(?))')
        .run(JSON.stringify(areas)),
    close: () => void database.close(),
  };
}
