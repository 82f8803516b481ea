import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { refuse, type Refusal } from '../engine/domain/errors.ts';
import { keepSeed } from './keep-seed.ts';
import { sealedWays } from './keyfile.ts';
import { newEntropy, seedPath, tooShort, wordsOf } from './seed.ts';

/**
 * A new seed where nobody sits: its words go to a file that only its owner reads, and over no terminal, argument or
 * variable. The passphrase comes from a file or a descriptor.
 */
export async function newSeedTo(
  file: string,
  folder: string,
  passphrase: Uint8Array | null,
): Promise<string | Refusal> {
  const path = resolve(file);
  if (passphrase === null)
    return refuse(
      'invalid',
      '--to asks for nothing, so the passphrase has to be named: use --passphrase-file or --passphrase-fd.',
    );
  const short = tooShort(passphrase);
  if (short !== null) return short;
  if (!relative(folder, path).startsWith('..'))
    return refuse(
      'invalid',
      `${path} lies in the data folder, and whoever copies that would have the words: name a file elsewhere.`,
    );
  const entropy = newEntropy(24);
  try {
    // First, for words without a seed are worth nothing, and a seed without its words is lost with the disk.
    const unwritten = writeWords(path, wordsOf(entropy));
    if (unwritten !== null) return unwritten;
    await keepSeed({ folder, entropy, passphrase, keychain: null, usedElsewhere: false, compared: false });
  } catch (error) {
    // Of a seed that is sealed already they are the only copy (facts/faults.md 162).
    if (sealedWays(seedPath(folder)).is === 'absent') rmSync(path, { force: true });
    throw error;
  } finally {
    entropy.fill(0);
  }
  return (
    `The seed is sealed in ${seedPath(folder)}, and its words are in ${path}. Whoever reads that file has the money: ` +
    'bring the words to paper or to another place, then delete it. They are the only way back when this disk is gone.'
  );
}

function writeWords(path: string, words: string): Refusal | null {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
      ? refuse('forbidden', `${path} exists, and may hold other words: name a new file. Nothing was saved.`)
      : refuse('unavailable', `${path} cannot be written (${(error as Error).message}): nothing was saved.`);
  }
  try {
    writeFileSync(file, `${words}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (process.platform !== 'win32') syncFolder(dirname(path));
  return null;
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
