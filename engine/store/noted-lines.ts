import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/* Lines that are noted outside of the database, where none of an earlier day takes them back. */

/**
 * All of it or a failure, for a disk that fills may take a part. A line end before it too: a line that was cut off does
 * not spoil the next.
 */
export function appendLine(place: string, line: string): void {
  const isNew = !existsSync(place);
  if (isNew) mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  const file = openSync(place, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
  try {
    writeFileSync(file, `\n${line}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // Else the file itself may be gone after a power cut.
  if (isNew) syncFolder(dirname(place));
}

/**
 * Leaves lines out, the others as they are and in their order. All of it or nothing: also where somebody else wrote
 * meanwhile, or the disk fails.
 */
export function leaveOut(place: string, isOver: (line: string) => boolean): void {
  const next = `${place}.next`;
  try {
    if (!existsSync(place)) return;
    const before = statSync(place).size;
    const lines = linesOf(place);
    const rest = lines.filter((line) => !isOver(line));
    if (rest.length === lines.length) return;
    rmSync(next, { force: true });
    appendLine(next, rest.join('\n'));
    if (statSync(place).size === before) {
      renameSync(next, place);
      syncFolder(dirname(place));
    }
  } catch {
    // It stays as long as it is.
  } finally {
    rmSync(next, { force: true });
  }
}

export function linesOf(place: string): readonly string[] {
  return existsSync(place)
    ? readFileSync(place, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}
