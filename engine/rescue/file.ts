import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file so that a power cut leaves the old one or the new one, readable by its owner alone. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const fresh = `${path}.new`;
  await rm(fresh, { force: true });
  const file = await open(fresh, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
