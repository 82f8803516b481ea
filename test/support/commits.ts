import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Commits in the write-ahead log of the database in a folder, by its format (sqlite.org/fileformat2.html): the frame
 * that ends one names a size. It counts none of before the last checkpoint.
 */
export function commitsIn(folder: string): number {
  const log = readFileSync(join(folder, 'sluice.db-wal'));
  const frame = 24 + log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + frame <= log.length; at += frame)
    if (log.readUInt32BE(at + 4) !== 0 && log.readUInt32BE(at + 8) === log.readUInt32BE(16)) count += 1;
  return count;
}
