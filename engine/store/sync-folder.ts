import { closeSync, constants, fsyncSync, openSync } from 'node:fs';

/** What was made, renamed or removed in a folder is so after a power cut too. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // it opens no folders
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
