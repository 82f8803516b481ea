import Database from 'better-sqlite3';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, refuse, type Refusal } from '../engine/domain/errors.ts';
import { readIfThere } from './folder.ts';

export interface FolderLock {
  release(): void;
}

/**
 * A handle that nobody refers to is closed by the collector of garbage, and with it the lock is gone: a second node on
 * the folder pays twice.
 */
const held = new Set<Database.Database>();

/**
 * One process per data folder. The lock is the operating system's, held through SQLite: it ends with its process
 * whatever ended that, so nothing stale can remain and a reused process id means nothing. The id in `sluice.pid`
 * only serves the sentence.
 */
export function lockFolder(folder: string): FolderLock | Refusal {
  const pidFile = join(folder, 'sluice.pid');
  const database = new Database(join(folder, 'sluice.lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    const holder = readIfThere(pidFile)?.trim();
    return refuse(
      'unavailable',
      `The data folder ${folder} is in use by another Sluice${holder ? ` (process ${holder})` : ''}: stop that ` +
        'one first or choose another folder with --data-dir.',
    );
  }
  held.add(database);
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(pidFile, { force: true });
      held.delete(database);
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** Who is on the folder, null for nobody; a folder that no node was ever on is left as it is. */
export function folderHolder(folder: string): Refusal | null {
  if (!existsSync(join(folder, 'sluice.lock'))) return null;
  const lock = lockFolder(folder);
  if (isRefusal(lock)) return lock;
  lock.release();
  return null;
}
