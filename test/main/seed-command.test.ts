import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { forgetWordsCompared, wordsComparedAt } from '../../engine/store/seed-marks.ts';
import { loadEntropy, wordsOf } from '../../main/seed.ts';
import { hasTerminal, onTerminal as answersOnTerminal } from '../support/on-terminal.ts';

const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'seed.ts');
// BIP-39 test vectors: https://github.com/trezor/python-mnemonic/blob/master/vectors.json
const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const others = 'letter advice cage absurd amount doctor acoustic avoid letter advice cage above';
const passphrase = 'correct horse battery';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'sluice-seed-command-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const onTerminal = (command: string, answers: readonly (readonly [question: string, answer: string])[]) =>
  answersOnTerminal([program, command, '--data-dir', folder], answers);

const prompts = {
  words: 'The twelve or twenty-four words: ',
  seal: 'characters: ',
  again: 'The same again: ',
  open: 'Passphrase: ',
  screen: 'Show them on this screen?',
  paper: 'The words on your paper: ',
};

test('without a terminal no word goes in or out', async () => {
  for (const command of ['show', 'verify', 'restore']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, command, '--data-dir', folder], {
      input: `${words}\n`,
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      'The words of a seed go over a terminal only: neither input nor output may be a file or a pipe.\n',
    ]);
  }
});

describe('new words without a terminal', () => {
  let aside: string;
  beforeAll(() => void (aside = mkdtempSync(join(tmpdir(), 'sluice-seed-to-'))));
  afterAll(() => rmSync(aside, { recursive: true, force: true }));

  const make = (to: string, secret: string, ...more: string[]) =>
    spawnSync(
      process.execPath,
      [program, 'new', '--data-dir', join(aside, 'alone'), '--to', to, '--passphrase-fd', '3', ...more],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', passphraseOn(secret)] },
    );
  /** An open file, as a supervisor hands over what lies in none. */
  function passphraseOn(secret: string): number {
    const path = join(aside, 'handed-over');
    writeFileSync(path, secret);
    return openSync(path, 'r');
  }

  test('go into a file of their owner alone, and nowhere else', async () => {
    const to = join(aside, 'words');
    const { status, stdout, stderr } = make(to, passphrase);
    const written = readFileSync(to, 'utf8').trim();
    expect([status, stderr, statSync(to).mode & 0o777, written.split(' ').length]).toEqual([0, '', 0o600, 24]);
    expect(stdout.trim()).toBe(
      `The seed is sealed in ${join(aside, 'alone', 'seed.sealed')}, and its words are in ${to}. Whoever reads that ` +
        'file has the money: bring the words to paper or to another place, then delete it. They are the only way back ' +
        'when this disk is gone.',
    );
    const entropy = await loadEntropy({
      folder: join(aside, 'alone'),
      sandbox: false,
      passphrase: Buffer.from(passphrase),
      keychain: {
        available: async () => false,
        get: async () => null,
        set: async () => undefined,
        remove: async () => undefined,
      },
    });
    expect(isRefusal(entropy) ? entropy.sentence : wordsOf(entropy)).toBe(written);
    expect(make(join(aside, 'again'), passphrase).stderr).toMatch(/seed.sealed exists/);
    expect(existsSync(join(aside, 'again'))).toBe(false);
  });

  test('fault 162: stay where they are once their seed is sealed, whatever fails after that', () => {
    const data = join(aside, 'full');
    mkdirSync(join(data, 'taker-high-water.new'), { recursive: true });
    writeFileSync(join(data, 'network'), 'regtest\n');
    const to = join(aside, 'kept');
    const { status } = make(to, passphrase, '--data-dir', data);
    expect([status !== 0, existsSync(join(data, 'seed.sealed')), existsSync(to)]).toEqual([true, true, true]);
  });

  test('are not made where the file is there, lies in the data folder, or no passphrase is named', () => {
    rmSync(join(aside, 'alone'), { recursive: true, force: true });
    const present = join(aside, 'present');
    writeFileSync(present, words);
    const without = spawnSync(
      process.execPath,
      [program, 'new', '--data-dir', join(aside, 'alone'), '--to', join(aside, 'new')],
      { encoding: 'utf8' },
    );
    expect([
      make(present, passphrase).stderr,
      make(join(aside, 'alone', 'words'), passphrase).stderr,
      make(join(aside, 'new'), 'short').stderr,
      make(join(aside, 'new'), '').stderr,
      without.stderr,
      readFileSync(present, 'utf8'),
      existsSync(join(aside, 'new')),
      existsSync(join(aside, 'alone', 'seed.sealed')),
    ]).toEqual([
      expect.stringContaining('present exists, and may hold other words'),
      expect.stringContaining('lies in the data folder'),
      expect.stringContaining('has 5 characters, it needs at least 12'),
      expect.stringContaining('descriptor 3 of --passphrase-fd is empty'),
      expect.stringContaining('has to be named'),
      words,
      false,
      false,
    ]);
  });
});

describe.skipIf(!hasTerminal)(
  hasTerminal ? 'on a terminal' : 'on a terminal (not run: no script of util-linux here)',
  () => {
    test('words are restored once, shown after a question, and compared', async () => {
      const restored = await onTerminal('restore', [
        [prompts.words, words],
        [prompts.seal, passphrase],
        [prompts.again, passphrase],
      ]);
      expect([
        restored.code,
        restored.screen.includes('The seed is sealed in'),
        restored.screen.includes('in no other place at the same time'),
        restored.screen.includes(passphrase),
        statSync(join(folder, 'seed.sealed')).mode & 0o777,
        readFileSync(join(folder, 'high-water.last'), 'utf8'),
      ]).toEqual([0, true, true, false, 0o600, '10000\n']);
      const again = await onTerminal('restore', []);
      expect([again.code, again.screen]).toEqual([
        1,
        expect.stringContaining('replacing it would lose what its keys hold'),
      ]);
      const shown = await onTerminal('show', [
        [prompts.open, passphrase],
        [prompts.screen, 'yes'],
      ]);
      expect([
        shown.code,
        [...shown.screen.matchAll(/^ +\d+\. (\w+)\r?$/gm)].map(([, word]) => word).join(' '),
      ]).toEqual([0, words]);
      const declined = await onTerminal('show', [
        [prompts.open, passphrase],
        [prompts.screen, 'no'],
      ]);
      expect([declined.screen.includes('Not shown.'), declined.screen.includes('winner')]).toEqual([true, false]);
      // Who restored typed every word; what a checklist goes by is the last time that they were right.
      expect(wordsComparedAt(folder)).toBeGreaterThan(0);
      forgetWordsCompared(folder);
      const wrong = await onTerminal('verify', [
        [prompts.open, passphrase],
        [prompts.paper, others],
      ]);
      const between = wordsComparedAt(folder);
      const right = await onTerminal('verify', [
        [prompts.open, passphrase],
        [prompts.paper, words],
      ]);
      expect([between, wordsComparedAt(folder), right.code, wrong.code, right.screen, wrong.screen]).toEqual([
        null,
        expect.any(Number),
        0,
        1,
        expect.stringContaining('The words are those of this folder.'),
        expect.stringContaining('The words are a seed, but not the one of this folder.'),
      ]);
      const mistaken = await onTerminal('show', [[prompts.open, 'another passphrase']]);
      expect([mistaken.code, mistaken.screen]).toEqual([1, expect.stringContaining('The passphrase does not open')]);
    }, 120_000);
  },
);
