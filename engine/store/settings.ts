import type { Database } from 'better-sqlite3';
import { decode, encode } from './codec.ts';

/** What the owner changed at run time, by name. */
export function settingsTable(db: Database) {
  const put = db.prepare(
    `INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  const get = db.prepare<[string], { value: string }>(`SELECT value FROM settings WHERE key = ?`);
  const remove = db.prepare(`DELETE FROM settings WHERE key = ?`);
  return {
    put(key: string, value: unknown): void {
      put.run(key, encode(value));
    },
    get<T>(key: string): T | null {
      const row = get.get(key);
      return row === undefined ? null : decode<T>(row.value);
    },
    remove(key: string): void {
      remove.run(key);
    },
  };
}
