import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Indices marked ahead at a time: one small write for that many swaps. */
const swapsAtOnce = 64;

/**
 * How far the key counter has come, kept beside the database: a database that is behind it was restored from an older
 * backup, and would hand out keys and forget locks that exist (faults.md 5).
 */
export function createHighWater(dataDir: string, name = 'high-water', block = swapsAtOnce) {
  const path = join(dataDir, name);
  let marked = existsSync(path) ? Number(readFileSync(path, 'utf8').trim()) : 0;
  if (!Number.isSafeInteger(marked) || marked < 0) throw new Error(`${path} does not hold a whole number: restore it or remove it.`);

  function write(value: number): void {
    writeFileSync(`${path}.new`, `${value}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    marked = value;
  }

  return {
    /** No index from here on was ever used. */
    floor(): number {
      return marked;
    },
    /** The first index that no start of this folder can have used, when the database is older than the folder; else null. */
    ahead(next: number): number | null {
      return marked - next > block ? marked : null;
    },
    /** Call before an index is used. */
    reach(index: number): void {
      if (index >= marked) write(index + block);
    },
  };
}

export type HighWater = ReturnType<typeof createHighWater>;
