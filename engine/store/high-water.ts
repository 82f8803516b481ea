import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartRefused } from '../domain/errors.ts';

/** No mark counts for less than a wrong one: what may have been used is left out then. */
const startsPaused =
  'remove it together with high-water and high-water.last beside it, and the node starts paused, leaves out every ' +
  'key that may have been used and compares itself with the networks';

/** Indices marked ahead at a time: one small write for that many swaps. */
const swapsAtOnce = 64;

/**
 * How far the key counter has come, kept beside the database: a database that is behind it was restored from an older
 * backup, and would hand out keys and forget locks that exist (facts/faults.md 5). Two files: one runs ahead of every
 * index and is on the disk before it is used, the other follows every swap and may lose the last ones in a power cut,
 * or to a full disk, which `onLost` hears of: what is in the database already must not fail for it.
 */
export function createHighWater(
  dataDir: string,
  name = 'high-water',
  block = swapsAtOnce,
  onLost: (cause: unknown) => void = () => undefined,
  remedy = startsPaused,
) {
  const path = join(dataDir, name);
  const lastPath = join(dataDir, `${name}.last`);
  let marked = numberIn(path, remedy);
  let next = numberIn(lastPath, remedy) ?? 0;

  function write(value: number): void {
    writeFileSync(`${path}.new`, `${value}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    marked = value;
  }

  // Over the old number, which is never longer: some file systems flush a file that is cut to nothing first.
  function follow(flush = false): void {
    const file = openSync(lastPath, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      writeFileSync(file, `${next}\n`);
      if (flush) fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  return {
    /** No index from here on was ever used. */
    floor(): number {
      return marked ?? 0;
    },
    /** Whether anything is marked at all: without a mark nobody can say which indices were used. */
    known(): boolean {
      return marked !== null;
    },
    /** For indices that are new for certain: those of words that were made here. */
    beginAtZero(): void {
      if (marked === null) write(0);
    },
    /**
     * The first index that no start of this folder can have used, when the database is older than the folder; else
     * null.
     */
    ahead(counter: number): number | null {
      const floor = marked ?? 0;
      return next > counter || floor - counter > block ? Math.max(floor, next) : null;
    },
    /** Call before an index is used. */
    reach(index: number): void {
      if (index >= (marked ?? 0)) write(index + block);
    },
    /** Call once the index is in the database: earlier, a crash in between would look like a backup. */
    used(index: number): void {
      if (index < next) return;
      next = index + 1;
      try {
        follow();
      } catch (cause) {
        onLost(cause);
      }
    },
    /**
     * As `used`, of an index that may have been used elsewhere: on the disk when it returns, but for the name of its
     * file. Throws where it cannot be written (facts/faults.md 294).
     */
    usedElsewhere(index: number): void {
      next = Math.max(next, index + 1);
      follow(true);
    },
  };
}

/** Null for a file that is not there, or was cut off while it was written: it says nothing. */
function numberIn(path: string, remedy: string): number | null {
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (text === '') return null;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new StartRefused(`${path} is damaged, it does not hold a whole number: ${remedy}.`);
  return value;
}

export type HighWater = ReturnType<typeof createHighWater>;
