import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHighWater, type HighWater } from './high-water.ts';
import { syncFolder } from './sync-folder.ts';

/**
 * Key indices left out where nobody can say how many were used since the backup: more swaps than a node opens in weeks.
 */
export const leftOut = 10_000;

const takerMark = 'taker-high-water';

/** The marks of the keys of one's own swaps: a secret must never be used twice, not even after a restored database. */
export function takerMarks(dataDir: string): HighWater {
  return createHighWater(
    dataDir,
    takerMark,
    1,
    undefined,
    'remove it, and the next swap of your own asks your providers and takes a key at least ten thousand further, ' +
      'so that no secret is used twice',
  );
}

/**
 * A seed that was used elsewhere comes to a folder. Its first start counts as one on a database that lacks everything:
 * keys that may have been used are left out, and locks of before are looked for (facts/faults.md 5). A database that
 * was put there may be of other words, and be removed for that. On the disk when it returns; throws where that takes no
 * mark, and then no seed is sealed there (facts/faults.md 294).
 */
export function seedFromElsewhere(dataDir: string): void {
  // Of other words, which were made here and are not those; a database that was used here says by itself how many keys
  // were used.
  for (const name of [takerMark, `${takerMark}.last`]) rmSync(join(dataDir, name), { force: true });
  if (!isDatabaseUsedHere(dataDir)) createHighWater(dataDir).usedElsewhere(leftOut - 1);
  // A mark of other words that came back after a power cut would call keys new whose secrets are public.
  syncFolder(dataDir);
}

/** A start binds the folder, also one that has no seed yet; the marks come with the first swap. */
function isDatabaseUsedHere(dataDir: string): boolean {
  const isBound = existsSync(join(dataDir, 'network'));
  return isBound && hasDatabase(dataDir) && createHighWater(dataDir).known();
}

/**
 * Nobody but this folder has these words, so its own swaps begin with their first key. Without this mark they never do,
 * whatever providers say: a copy of a folder that lacks it leaves keys out (facts/faults.md 71). Called once the seed
 * is sealed.
 */
export function seedMadeHere(dataDir: string): void {
  if (!hasDatabase(dataDir)) takerMarks(dataDir).beginAtZero();
}

/** In the data folder, beside the seed. */
export const comparedMark = 'words.compared';

/** The owner typed the words, and they are those of the seed that is sealed here. `time` in unix seconds. */
export function noteWordsCompared(dataDir: string, time: number): void {
  writeFileSync(join(dataDir, comparedMark), `${time}\n`, { mode: 0o600 });
}

/** A new seed: what was compared are other words. */
export function forgetWordsCompared(dataDir: string): void {
  rmSync(join(dataDir, comparedMark), { force: true });
}

/** When the owner last did; null for never, or where the mark cannot be read. */
export function wordsComparedAt(dataDir: string): number | null {
  try {
    const time = Number(readFileSync(join(dataDir, comparedMark), 'utf8').trim());
    return Number.isSafeInteger(time) && time > 0 ? time : null;
  } catch {
    return null; // Nothing is lost: the owner is asked to compare them once more.
  }
}

function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, 'sluice.db'));
}
