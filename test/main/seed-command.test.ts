import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'seed.ts');
// BIP-39 test vectors: https://github.com/trezor/python-mnemonic/blob/master/vectors.json
const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const others = 'letter advice cage absurd amount doctor acoustic avoid letter advice cage above';
const passphrase = 'correct horse battery';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'sluice-seed-command-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** util-linux's way to give a program a terminal; other systems' program of that name takes other flags. */
const terminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

/** Runs the command on a terminal and answers its questions as they come; resolves with what the screen showed. */
async function onTerminal(
  command: string,
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<{ code: number; screen: string }> {
  const child = spawn(
    'script',
    ['-qec', `'${process.execPath}' '${program}' ${command} --data-dir '${folder}'`, '/dev/null'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const left = [...answers];
  let screen = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [next] = left;
    const at = next === undefined ? -1 : screen.indexOf(next[0], read);
    if (next === undefined || at < 0) return;
    read = at + next[0].length;
    left.shift();
    child.stdin.write(`${next[1]}\r`);
  });
  const [code] = (await once(child, 'close')) as [number];
  expect(left).toEqual([]);
  return { code, screen };
}

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

describe.skipIf(!terminal)(terminal ? 'on a terminal' : 'on a terminal (not run: no script of util-linux here)', () => {
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
    expect([shown.code, [...shown.screen.matchAll(/^ +\d+\. (\w+)\r?$/gm)].map(([, word]) => word).join(' ')]).toEqual([
      0,
      words,
    ]);
    const declined = await onTerminal('show', [
      [prompts.open, passphrase],
      [prompts.screen, 'no'],
    ]);
    expect([declined.screen.includes('Not shown.'), declined.screen.includes('winner')]).toEqual([true, false]);
    const [right, wrong] = [
      await onTerminal('verify', [
        [prompts.open, passphrase],
        [prompts.paper, words],
      ]),
      await onTerminal('verify', [
        [prompts.open, passphrase],
        [prompts.paper, others],
      ]),
    ];
    expect([right.code, wrong.code, right.screen, wrong.screen]).toEqual([
      0,
      1,
      expect.stringContaining('The words are those of this folder.'),
      expect.stringContaining('The words are a seed, but not the one of this folder.'),
    ]);
    const mistaken = await onTerminal('show', [[prompts.open, 'another passphrase']]);
    expect([mistaken.code, mistaken.screen]).toEqual([1, expect.stringContaining('The passphrase does not open')]);
  }, 120_000);
});
