import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrations, schemaVersion } from './migrate.ts';

/** A database looked at without changing it, whether a node runs on it or not. */
export interface DatabaseFacts {
  /** The Bitcoin network that it is bound to; null before its first start ended. */
  readonly network: string | null;
  readonly schema: number;
  /** The newest schema that this build knows. */
  readonly knownSchema: number;
  readonly openSwaps: number;
  /** Whether every page was read: `damage` says what SQLite's own check found then, null for nothing. */
  readonly checked: boolean;
  readonly damage: string | null;
}

/**
 * Null where there is no database. The quick check reads every page, the other one every index against its table too;
 * either keeps the thread busy for as long as that takes.
 */
export function inspectDatabase(
  path: string,
  check: 'quick_check' | 'integrity_check' | 'none' = 'quick_check',
): DatabaseFacts | null {
  if (!existsSync(path)) return null;
  const knownSchema = migrations.length;
  let db: Database.Database | null = null;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: 2_000 });
    const damage = check === 'none' ? 'ok' : (db.pragma(`${check}(1)`, { simple: true }) as string);
    const schema = schemaVersion(db);
    return {
      network:
        schema === 0
          ? null
          : (db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'network'`).get()?.value ?? null),
      schema,
      knownSchema,
      openSwaps:
        schema === 0
          ? 0
          : (db.prepare<[], { open: number }>(`SELECT COUNT(*) AS open FROM swaps WHERE open = 1`).get()?.open ?? 0),
      checked: check !== 'none',
      damage: damage === 'ok' ? null : damage,
    };
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return { network: null, schema: 0, knownSchema, openSwaps: 0, checked: true, damage: error.message };
  } finally {
    db?.close();
  }
}

/** Of a data folder. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'sluice.db');
}
