import Database from 'better-sqlite3';
import { closeSync, copyFileSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { refuse, type Refusal } from '../domain/errors.ts';
import { databasePath, inspectDatabase, type DatabaseFacts } from './inspect.ts';
import { syncFolder } from './sync-folder.ts';

/** In one step: a copy made piece by piece starts over with every commit of the node that runs. */
const everyPage = 0x7fff_ffff;

const markName = 'copied-at';

/**
 * Copies the database of a data folder, also while a node runs on it, and looks the copy over before it gets its name.
 * The copy is marked: a node that starts on one knows that it is not the newest (facts/faults.md 5).
 */
export async function backUpDatabase(dataDir: string, to: string, now: number): Promise<DatabaseFacts | Refusal> {
  const source = databasePath(dataDir);
  if (!existsSync(source))
    return refuse(
      'not-found',
      `There is no database in ${dataDir}: name the data folder of a node that was started once with --data-dir.`,
    );
  if (!existsSync(dirname(to)))
    return refuse('not-found', `The folder ${dirname(to)} is not there: make it, or name another file with --to.`);
  if (existsSync(to))
    return refuse('forbidden', `${to} exists, and no backup is overwritten: name another file with --to.`);
  const fresh = `${to}.${process.pid}.part`;
  try {
    closeSync(openSync(fresh, 'wx', 0o600));
    await copy(source, fresh);
    const schema = inspectDatabase(source)?.schema;
    const facts = inspectDatabase(fresh, 'integrity_check');
    if (facts === null || facts.damage !== null || facts.schema !== schema)
      return refuse(
        'unavailable',
        `The copy is not whole (${facts?.damage ?? `schema ${facts?.schema ?? 'missing'} instead of ${schema}`}), ` +
          'nothing was kept: check the disks, and the database with "npm run doctor".',
      );
    seal(fresh, now);
    renameSync(fresh, to);
    syncFolder(dirname(to));
    return facts;
  } finally {
    remove(fresh);
  }
}

/**
 * Copies a database that nobody writes to, and whose log is written back, to be a backup like any other: one file that
 * needs no log and says that it is a copy (facts/faults.md 293). It replaces an older one, once it is whole.
 */
export function copyAtRest(path: string, to: string): void {
  const fresh = `${to}.part`;
  remove(fresh);
  try {
    closeSync(openSync(fresh, 'wx', 0o600));
    copyFileSync(path, fresh);
    seal(fresh, Math.floor(statSync(fresh).mtimeMs / 1_000));
    renameSync(fresh, to);
    syncFolder(dirname(to));
  } finally {
    remove(fresh);
  }
}

function remove(copy: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${copy}${part}`, { force: true });
}

async function copy(source: string, to: string): Promise<void> {
  const db = new Database(source, { readonly: true, timeout: 10_000 });
  try {
    await db.backup(to, { progress: () => everyPage });
  } finally {
    db.close();
  }
}

/** Marks the copy and makes it one file that needs no others beside it, on the disk when this returns. */
function seal(path: string, now: number): void {
  const db = new Database(path);
  try {
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = FULL');
    db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)`).run(markName, String(now));
  } finally {
    db.close();
  }
}

/** When the backup was taken that this database comes from, in unix seconds; null for one that nobody copied. */
export function copiedAt(db: Database.Database): number | null {
  const mark = db.prepare<[string], { value: string }>(`SELECT value FROM meta WHERE key = ?`).get(markName);
  return mark === undefined ? null : Number(mark.value);
}

/** Once the node has acted on it. */
export function forgetCopy(db: Database.Database): void {
  db.prepare(`DELETE FROM meta WHERE key = ?`).run(markName);
}
