import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { machineClock } from '../../engine/machine-clock.ts';
import { noteWordsCompared } from '../../engine/store/seed-marks.ts';
import { boundName, makeFolder } from '../folder.ts';
import { answerHelp } from '../help.ts';
import { osKeychain } from '../keychain.ts';
import { sealedWays } from '../keyfile.ts';
import { lockFolder } from '../lock.ts';
import { keepSeed } from '../keep-seed.ts';
import { passphraseOf, readPassphraseFlags } from '../passphrase.ts';
import { newSeedTo } from '../seed-to-file.ts';
import { entropyOf, loadEntropy, newEntropy, seedPath, shortestPassphrase, wordsOf } from '../seed.ts';
import { askHidden } from '../terminal.ts';

const usage =
  'npm run seed -- new|restore|show|verify --data-dir DIR [--to FILE] [--passphrase-file FILE | --passphrase-fd NUMBER]';

/** The words of the seed: made, brought back, shown or compared, on a terminal; new ones also into a file. */
async function seedCommand(): Promise<string | Refusal> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'data-dir': { type: 'string' },
      to: { type: 'string' },
      'passphrase-file': { type: 'string' },
      'passphrase-fd': { type: 'string' },
    },
  });
  const [command] = positionals;
  const { 'data-dir': dataDir, to } = values;
  if (dataDir === undefined || positionals.length !== 1) return refuse('invalid', `Usage: ${usage}`);
  if (to !== undefined && command !== 'new')
    return refuse('invalid', `--to is for new words alone, not for "${command ?? ''}". Usage: ${usage}`);
  if (to === undefined && (!process.stdin.isTTY || !process.stdout.isTTY))
    return refuse(
      'forbidden',
      'The words of a seed go over a terminal only: neither input nor output may be a file or a pipe.',
    );
  const folder = resolve(dataDir);
  const flags = readPassphraseFlags(values);
  if (isRefusal(flags)) return flags;
  const passphrase = passphraseOf(flags);
  if (isRefusal(passphrase)) return passphrase;
  if (to !== undefined) return exclusively(folder, () => sealedOnce(folder) ?? newSeedTo(to, folder, passphrase));
  switch (command) {
    case 'new':
    case 'restore':
      return exclusively(folder, () => write(folder, command, passphrase));
    case 'show':
      return show(folder, passphrase);
    case 'verify':
      return verify(folder, passphrase);
    default:
      return refuse('invalid', `There is no seed command "${command ?? ''}". Usage: ${usage}`);
  }
}

function sealedOnce(folder: string): Refusal | null {
  return sealedWays(seedPath(folder)).is === 'absent'
    ? null
    : refuse(
        'forbidden',
        `${seedPath(folder)} exists, and replacing it would lose what its keys hold: use a new data folder, or move ` +
          'that file away first.',
      );
}

async function write(folder: string, command: 'new' | 'restore', given: Uint8Array | null): Promise<string | Refusal> {
  const already = sealedOnce(folder);
  if (already !== null) return already;
  const entropy = command === 'new' ? await makeWords() : entropyOf(await ask('The twelve or twenty-four words: '));
  if (isRefusal(entropy)) return entropy;
  const passphrase = given ?? (await newPassphrase());
  if (isRefusal(passphrase)) return passphrase;
  const available = await osKeychain().available();
  const keychain =
    available &&
    (await ask('Also keep a key in the keychain of this system, so that starting asks for nothing? (yes/no) ')) ===
      'yes';
  const outcome = await keepSeed({
    folder,
    entropy,
    passphrase,
    keychain: keychain ? osKeychain() : null,
    usedElsewhere: command === 'restore',
    compared: true,
  });
  if (outcome === 'keychain-away')
    return refuse(
      'unavailable',
      'The keychain of this system does not store secrets: nothing was saved, begin again without it.',
    );
  entropy.fill(0);
  const once =
    command === 'restore'
      ? ' Use these words in no other place at the same time: a secret that one of them shows to its provider no ' +
        'longer guards the money of the other. The first start leaves out keys that they may have used, looks for ' +
        'what they locked, and opens no swap before you resume.'
      : '';
  return (
    `The seed is sealed in ${seedPath(folder)}. Keep the words on paper: they are the only way back when this disk ` +
    `is gone.${once}`
  );
}

async function makeWords(): Promise<Uint8Array | Refusal> {
  const entropy = newEntropy(24);
  const list = wordsOf(entropy).split(' ');
  console.log('\nWrite these words down, in this order:\n');
  console.log(numbered(list));
  for (const place of [3, 11, 20]) {
    const typed = await ask(`Word ${place}, to be sure it is on paper: `);
    if (typed.trim().toLowerCase() !== list[place - 1])
      return refuse('invalid', `That is not word ${place}: nothing was saved, begin again.`);
  }
  return entropy;
}

async function show(folder: string, passphrase: Uint8Array | null): Promise<string | Refusal> {
  const entropy = await opened(folder, passphrase);
  if (isRefusal(entropy)) return entropy;
  if ((await ask('Whoever sees the words owns the money. Show them on this screen? (yes/no) ')) !== 'yes')
    return 'Not shown.';
  return `\n${numbered(wordsOf(entropy).split(' '))}`;
}

async function verify(folder: string, passphrase: Uint8Array | null): Promise<string | Refusal> {
  const entropy = await opened(folder, passphrase);
  if (isRefusal(entropy)) return entropy;
  const typed = entropyOf(await ask('The words on your paper: '));
  if (isRefusal(typed)) return typed;
  if (!Buffer.from(entropy).equals(typed))
    return refuse('invalid', 'The words are a seed, but not the one of this folder.');
  noteWordsCompared(folder, machineClock());
  return 'The words are those of this folder.';
}

async function opened(folder: string, given: Uint8Array | null): Promise<Uint8Array | Refusal> {
  const sandbox = boundName(folder) === 'sandbox';
  const file = sealedWays(seedPath(folder));
  if (file.is === 'absent')
    return refuse(
      'not-found',
      `There is no seed in ${folder}: make one with "npm run seed -- new --data-dir ${folder}".`,
    );
  const asks = given === null && !sandbox && file.is === 'sealed' && file.ways.includes('passphrase');
  const passphrase = asks ? Buffer.from((await askHidden('Passphrase: ')).normalize('NFKC')) : given;
  return loadEntropy({ folder, sandbox, passphrase, keychain: osKeychain() });
}

async function newPassphrase(): Promise<Uint8Array | Refusal> {
  const first = await askHidden(`A passphrase to seal the seed with, at least ${shortestPassphrase} characters: `);
  if ([...first].length < shortestPassphrase)
    return refuse(
      'invalid',
      `The passphrase has ${[...first].length} characters, it needs at least ${shortestPassphrase}: nothing was ` +
        'saved, begin again.',
    );
  if ((await askHidden('The same again: ')) !== first)
    return refuse('invalid', 'The two passphrases differ: nothing was saved, begin again.');
  return Buffer.from(first.normalize('NFKC'));
}

async function exclusively(folder: string, act: () => Promise<string | Refusal> | Refusal): Promise<string | Refusal> {
  const made = makeFolder(folder);
  if (made !== null) return made;
  const lock = lockFolder(folder);
  if (isRefusal(lock)) return lock;
  try {
    return await act();
  } finally {
    lock.release();
  }
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

function numbered(words: readonly string[]): string {
  return words.map((word, i) => `${String(i + 1).padStart(4)}. ${word}`).join('\n');
}

answerHelp(usage, 'Makes, brings back, shows or compares the words of a seed, on a terminal.', {
  new: 'makes words, shows them once and seals the seed in the data folder',
  restore: 'seals the seed of words that you have',
  show: 'shows the words of the data folder',
  verify: 'compares the words on your paper with those of the data folder',
  '--data-dir DIR': 'the data folder',
  '--to FILE': 'with new and without a terminal: the words go into this file, which must not be there yet',
  '--passphrase-file FILE': 'the passphrase, instead of asking for it',
  '--passphrase-fd NUMBER': 'the same from an open file descriptor',
});

const answer = await seedCommand().catch((error: Error) =>
  refuse('invalid', `${error.message.split('. ')[0]}. Usage: ${usage}`),
);
if (isRefusal(answer)) {
  console.error(answer.sentence);
  process.exitCode = 1;
} else {
  console.log(answer);
}
