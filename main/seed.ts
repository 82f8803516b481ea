import { entropyToMnemonic, mnemonicToEntropy, mnemonicToSeed, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, refuse, type Refusal } from '../engine/domain/errors.ts';
import { seedMadeHere } from '../engine/store/seed-marks.ts';
import { readIfThere } from './folder.ts';
import { openSeed, sealedWays, sealSeed, type SealKey } from './keyfile.ts';
import type { Keychain } from './keychain.ts';
import { writePrivate } from './private-file.ts';

export interface SeedWays {
  readonly folder: string;
  readonly sandbox: boolean;
  readonly passphrase: Uint8Array | null;
  readonly keychain: Keychain;
}

export function seedPath(folder: string): string {
  return join(folder, 'seed.sealed');
}

/** Whether the folder has a seed that its owner made: a sandbox's own has its key in a file beside it. */
export function hasOwnersSeed(folder: string): boolean {
  const file = sealedWays(seedPath(folder));
  return file.is === 'damaged' || (file.is === 'sealed' && !file.ways.includes('key-file'));
}

/** The 64-byte seed of the folder. A sandbox without one gets one; elsewhere the owner makes it on a terminal. */
export async function loadSeed(ways: SeedWays): Promise<Uint8Array | Refusal> {
  const entropy = await loadEntropy(ways);
  if (isRefusal(entropy)) return entropy;
  const seed = await seedOf(entropy);
  entropy.fill(0);
  return seed;
}

/** A seed for a folder of a network without value, sealed with the passphrase; false where it has one. */
export async function madeOnRegtest({ folder, passphrase }: SeedWays): Promise<boolean | Refusal> {
  const path = seedPath(folder);
  if (passphrase === null || sealedWays(path).is !== 'absent') return false;
  const short = tooShort(passphrase);
  if (short !== null) return short;
  const entropy = newEntropy(12);
  await sealSeed(path, entropy, [{ way: 'passphrase', passphrase }]);
  seedMadeHere(folder);
  entropy.fill(0);
  return true;
}

export async function loadEntropy(ways: SeedWays): Promise<Uint8Array | Refusal> {
  const { folder } = ways;
  const path = seedPath(folder);
  const file = sealedWays(path);
  if (file.is === 'damaged') return damaged(path, file.reason);
  if (file.is === 'absent') {
    if (!ways.sandbox)
      return refuse(
        'not-found',
        `The data folder ${folder} has no seed: make one with "npm run seed -- new --data-dir ${folder}" or bring ` +
          `yours with "npm run seed -- restore --data-dir ${folder}".`,
      );
    const entropy = randomBytes(16);
    await sealSeed(path, entropy, [sandboxKey(folder)]);
    seedMadeHere(folder);
    return entropy;
  }
  const key = await keyFor(ways, file.ways);
  if (isRefusal(key)) return key;
  const opened = await openSeed(path, key);
  if (opened.is === 'opened') return opened.entropy;
  if (opened.is === 'damaged') return damaged(path, opened.reason);
  return refuse(
    'unauthorized',
    key.way === 'passphrase'
      ? `The passphrase does not open ${path}: the file is whole, so check the passphrase.`
      : `The key of the ${key.way} does not open ${path}: the file is whole, so open it with --passphrase-file or ` +
          'restore the words.',
  );
}

async function keyFor(ways: SeedWays, sealed: readonly SealKey['way'][]): Promise<SealKey | Refusal> {
  const path = seedPath(ways.folder);
  if (ways.sandbox && sealed.includes('key-file')) return sandboxKey(ways.folder);
  if (ways.passphrase !== null && sealed.includes('passphrase'))
    return { way: 'passphrase', passphrase: ways.passphrase };
  if (sealed.includes('keychain') && (await ways.keychain.available())) {
    const key = await ways.keychain.get(keychainAccount(ways.folder));
    if (key !== null) return { way: 'keychain', key };
  }
  return refuse(
    'unauthorized',
    sealed.includes('passphrase')
      ? `The seed in ${path} is sealed with a passphrase: name the file that holds it with --passphrase-file.`
      : `The keychain of this system does not give the key of ${path}: unlock it, or restore the words with "npm ` +
          'run seed -- restore".',
  );
}

/** One entry per folder, named by its path. */
export function keychainAccount(folder: string): string {
  return `seed of ${folder}`;
}

/** A sandbox holds no money: its key lies in a file beside the seed, so that nobody is asked and no keychain filled. */
function sandboxKey(folder: string): SealKey {
  const path = join(folder, 'seed.key');
  const storedKey = readIfThere(path)?.trim();
  if (storedKey !== undefined) return { way: 'key-file', key: Buffer.from(storedKey, 'hex') };
  const key = randomBytes(32);
  writePrivate(path, Buffer.from(`${key.toString('hex')}\n`));
  return { way: 'key-file', key };
}

function damaged(path: string, reason: string): Refusal {
  return refuse(
    'invalid',
    `The seed file ${path} is damaged, ${reason}: put back a copy of it or restore the words with "npm run seed ` +
      '-- restore".',
  );
}

/** The passphrase in a file, or an open descriptor, without the line end an editor leaves. */
export function readPassphrase(from: string | number): Uint8Array {
  return Buffer.from(
    readFileSync(from, 'utf8')
      .replace(/\r?\n$/, '')
      .normalize('NFKC'),
  );
}

export const shortestPassphrase = 12;

/** Why a passphrase seals no seed, or null. */
export function tooShort(passphrase: Uint8Array): Refusal | null {
  const length = [...Buffer.from(passphrase).toString('utf8')].length;
  if (length >= shortestPassphrase) return null;
  return refuse(
    'invalid',
    `The passphrase has ${length} characters, it needs at least ${shortestPassphrase}: nothing was saved.`,
  );
}

/** Fresh entropy of twelve or twenty-four words. */
export function newEntropy(count: 12 | 24): Uint8Array {
  return randomBytes(count === 12 ? 16 : 32);
}

export function wordsOf(entropy: Uint8Array): string {
  return entropyToMnemonic(entropy, wordlist);
}

export type ReadWords =
  | { readonly is: 'words'; readonly entropy: Uint8Array }
  | { readonly is: 'word-count'; readonly count: number }
  | { readonly is: 'unlisted'; readonly place: number; readonly word: string }
  | { readonly is: 'words-do-not-fit' };

/** The entropy of twelve or twenty-four words, or the first fault of them. */
export function readWords(text: string): ReadWords {
  const words = text.normalize('NFKD').toLowerCase().trim().split(/\s+/);
  if (words.length !== 12 && words.length !== 24) return { is: 'word-count', count: words.length };
  const at = words.findIndex((word) => !wordlist.includes(word));
  if (at >= 0) return { is: 'unlisted', place: at + 1, word: words[at] ?? '' };
  const sentence = words.join(' ');
  if (!validateMnemonic(sentence, wordlist)) return { is: 'words-do-not-fit' };
  return { is: 'words', entropy: mnemonicToEntropy(sentence, wordlist) };
}

/** The entropy of twelve or twenty-four words, or the reason why they are none. */
export function entropyOf(text: string): Uint8Array | Refusal {
  const read = readWords(text);
  switch (read.is) {
    case 'words':
      return read.entropy;
    case 'word-count':
      return refuse('invalid', `A seed has twelve or twenty-four words, these are ${read.count}.`);
    case 'unlisted':
      return refuse('invalid', `Word ${read.place} is not in the BIP-39 list: check its spelling.`);
    case 'words-do-not-fit':
      return refuse('invalid', 'These words do not fit together: one is wrong or two are exchanged.');
  }
}

export async function seedOf(entropy: Uint8Array): Promise<Uint8Array> {
  return mnemonicToSeed(entropyToMnemonic(entropy, wordlist));
}
