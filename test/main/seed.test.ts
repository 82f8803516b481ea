import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { Keychain } from '../../main/keychain.ts';
import { sealSeed } from '../../main/keyfile.ts';
import { memoryKeychain } from './support/memory-keychain.ts';
import { entropyOf, keychainAccount, loadSeed, readPassphrase, seedPath, wordsOf } from '../../main/seed.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'sluice-seed-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const sentence = (answer: unknown) => (isRefusal(answer) ? answer.sentence : 'a seed');

test('a sandbox makes its seed without asking and finds the same again', async () => {
  const ways = { folder, sandbox: true, passphrase: null, keychain: memoryKeychain() };
  const first = await loadSeed(ways);
  expect(first).toHaveLength(64);
  expect(await loadSeed(ways)).toEqual(first);
  expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])).toEqual([
    ['seed.key', 0o600],
    ['seed.sealed', 0o600],
    ['taker-high-water', 0o600],
  ]);
  expect(ways.keychain.entries.size).toBe(0);
});

test('outside the sandbox a folder without a seed says how to make one', async () => {
  expect(sentence(await loadSeed({ folder, sandbox: false, passphrase: null, keychain: memoryKeychain() }))).toContain(
    `npm run seed -- new --data-dir ${folder}`,
  );
});

test('wrong passphrase, no passphrase, no keychain and a damaged file each have their sentence', async () => {
  const keychain = memoryKeychain();
  const key = new Uint8Array(32).fill(3);
  const entropy = new Uint8Array(32).fill(5);
  keychain.entries.set(keychainAccount(folder), key);
  await sealSeed(seedPath(folder), entropy, [
    { way: 'passphrase', passphrase: Buffer.from('right') },
    { way: 'keychain', key },
  ]);
  const open = (passphrase: string | null, chain: Keychain) =>
    loadSeed({
      folder,
      sandbox: false,
      passphrase: passphrase === null ? null : Buffer.from(passphrase),
      keychain: chain,
    });
  const byKeychain = await open(null, keychain);
  expect(byKeychain).toHaveLength(64);
  expect(await open('right', memoryKeychain(false))).toEqual(byKeychain);
  expect([
    sentence(await open('wrong', keychain)),
    sentence(await open(null, memoryKeychain(false))),
    sentence(await open(null, memoryKeychain())),
  ]).toEqual([
    expect.stringMatching(/^The passphrase does not open/),
    expect.stringContaining('--passphrase-file'),
    expect.stringContaining('--passphrase-file'),
  ]);
  writeFileSync(seedPath(folder), 'x');
  expect(sentence(await open('right', keychain))).toMatch(/is damaged, it has not three lines/);
});

test('a passphrase file may end with a line end', () => {
  const path = join(folder, 'passphrase');
  writeFileSync(path, 'two words \r\n');
  expect(Buffer.from(readPassphrase(path)).toString()).toBe('two words ');
});

// BIP-39 test vectors: https://github.com/trezor/python-mnemonic/blob/master/vectors.json
test('words are read as BIP-39 writes them, and each mistake is named', () => {
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
  const entropy = new Uint8Array(16).fill(0x7f);
  expect([entropyOf(`  ${words.toUpperCase()}\n`), wordsOf(entropy)]).toEqual([entropy, words]);
  expect([
    sentence(entropyOf('legal winner')),
    sentence(entropyOf(words.replace('year', 'yaer'))),
    sentence(entropyOf(words.replace('yellow', 'thank'))),
  ]).toEqual([
    'A seed has twelve or twenty-four words, these are 2.',
    'Word 4 is not in the BIP-39 list: check its spelling.',
    'These words do not fit together: one is wrong or two are exchanged.',
  ]);
});
