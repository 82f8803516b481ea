import Database from 'better-sqlite3';
import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartRefused } from '../domain/errors.ts';
import { copyAtRest } from './backup.ts';
import { migrate, migrations } from './migrate.ts';
import { looseNotesName } from './loose-notes.ts';
import { notesName } from './partial-notes.ts';
import { spareClaimsName } from './spare-claims.ts';

/**
 * The node's database: write-ahead log, and a commit that returned has reached the disk (`synchronous = FULL`): a
 * commit lost to a power cut could be a lock that was sent and forgotten.
 */
export function openDatabase(dataDir: string, steps = migrations): Database.Database {
  const path = join(dataDir, 'sluice.db');
  forOwnerOnly(dataDir, path);
  setForeignLogAside(path);
  const db = new Database(path);
  // Of a new database: a commit writes whole pages, and changes little of each.
  db.pragma('page_size = 1024');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  // What a statement may have to undo needs no file: a crash undoes it all the same.
  db.pragma('temp_store = MEMORY');
  // A page that many commits touch goes into the database file once in a while, after 16 MB of them.
  db.pragma(`wal_autocheckpoint = ${Math.floor(16e6 / Number(db.pragma('page_size', { simple: true })))}`);
  db.pragma('foreign_keys = ON');
  db.pragma('busy_timeout = 2000');
  migrate(
    db,
    (from) => {
      db.pragma('wal_checkpoint(TRUNCATE)');
      copyAtRest(path, `${path}.schema-${from}.bak`);
    },
    steps,
  );
  return db;
}

/** One that nothing is left of: for work whose state is kept elsewhere. */
export function openScratch(): Database.Database {
  const db = new Database(':memory:');
  db.pragma('foreign_keys = ON');
  migrate(db, () => undefined);
  return db;
}

const ownerOnly = 0o600;

/**
 * A backup that was put in the place of a database, whose write-ahead log was left beside it. SQLite would play that
 * log over it and make a database of neither. Backups keep no log, and a database of ours always does: its header tells
 * which this is.
 */
function setForeignLogAside(path: string): void {
  const log = `${path}-wal`;
  if (keepsLog(path) !== false || !existsSync(log)) return;
  renameSync(log, `${log}.left-behind`);
  rmSync(`${path}-shm`, { force: true });
}

/** The file format's read version, at byte 19: 2 with a write-ahead log, 1 without one. Null for an empty file. */
function keepsLog(path: string): boolean | null {
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  try {
    return readSync(file, header, 0, header.length, 0) < header.length ? null : header[19] === 2;
  } finally {
    closeSync(file);
  }
}

/**
 * What is in the database is nobody's business but the owner's: addresses, amounts, who swapped. SQLite gives the files
 * beside it the mode of the database, so that this has its mode before it is opened.
 */
function forOwnerOnly(dataDir: string, path: string): void {
  chmodSync(dataDir, 0o700);
  closeSync(openSync(path, 'a', ownerOnly));
  for (const part of ['', '-wal', '-shm']) if (existsSync(path + part)) chmodSync(path + part, ownerOnly);
}

/** Removes the database of a sandbox that starts over; the caller has closed it. */
export function forgetDatabase(dataDir: string): void {
  const marks = [
    'high-water',
    'high-water.last',
    'intents',
    'intents.last',
    notesName,
    looseNotesName,
    spareClaimsName,
  ];
  for (const part of ['sluice.db', 'sluice.db-wal', 'sluice.db-shm', ...marks])
    rmSync(join(dataDir, part), { force: true });
}

/**
 * Binds a database to one seed, by a fingerprint that tells nothing else of it. Under another one the node would go on
 * paying for coins to which it has no key.
 */
export function bindSeed(db: Database.Database, fingerprint: string): void {
  const bound = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'seed'`).get()?.value;
  if (bound === undefined) db.prepare(`INSERT INTO meta (key, value) VALUES ('seed', ?)`).run(fingerprint);
  else if (bound !== fingerprint)
    throw new StartRefused(
      'The database in this data folder belongs to another seed, and its swaps need the keys of that one: put the ' +
        'seed file or the words that it was used with back, or use another folder.',
    );
}

/** Binds a data folder to one Bitcoin network, for ever: keys, hashes and coins of two networks must never meet. */
export function bindNetwork(db: Database.Database, network: string): void {
  const bound = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'network'`).get()?.value;
  if (bound === undefined) db.prepare(`INSERT INTO meta (key, value) VALUES ('network', ?)`).run(network);
  else if (bound !== network)
    throw new StartRefused(
      `This data folder belongs to ${bound}, the configuration says ${network}: use another folder.`,
    );
}
