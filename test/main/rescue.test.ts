import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mnemonicToSeed } from '@scure/bip39';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { unix } from '../../engine/domain/time.ts';
import { sealBundle } from '../../engine/rescue/bundle.ts';
import { noExitPaths } from '../../engine/rescue/exit-paths.ts';
import { lockFolder } from '../../main/lock.ts';

const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const others = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
let folder: string;

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'sluice-rescue-command-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** Endpoints at which nobody answers. */
function config(): string {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  return file(
    'config.json',
    JSON.stringify({ network: 'regtest', dataDir, bitcoin: { esplora: ['http://127.0.0.1:9'] } }),
  );
}

async function bundle(of: string): Promise<string> {
  const { sealingKey } = createKeys(await mnemonicToSeed(of), 'regtest');
  const counters = { swap: 0, deposit: 0, change: 0 };
  return file(
    'rescue.bundle',
    sealBundle(
      { written: unix(1_790_000_000), swaps: [], counters, walletTerms: [], exitPaths: noExitPaths, troubles: [] },
      'regtest',
      sealingKey,
    ),
  );
}

async function rescue(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'rescue.ts');
  return promisify(execFile)(process.execPath, [program, ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      out: error.stdout,
      err: error.stderr,
    }),
  );
}

test('with nothing open and every endpoint away it says so and ends well', async () => {
  const given = ['--config', config(), '--seed-file', file('words', `${words}\n`), '--bundle', await bundle(words)];
  const { code, out, err } = await rescue(...given);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(
    /^The bundle was written 2026-09-21 14:13:20 UTC; .* It holds 0 open swaps\.\nLooking for coins of the Bitcoin wallet, .*\nThe search failed .* Run this again\.\nIn the wallets of this seed:\n {2}Bitcoin: not known now, /,
  );
});

test('fault 308, evm: by the words alone a chain that could not be searched is not done', async () => {
  const evm = { '137': { rpc: ['http://127.0.0.1:9'] } };
  const away = file('evm.json', JSON.stringify({ network: 'regtest', dataDir: join(folder, 'data'), evm }));
  const { code, out, err } = await rescue('--config', away, '--seed-file', file('words', `${words}\n`));
  expect([code, err]).toEqual([1, '']);
  expect(out).toMatch(/\nChain 137 could not be searched for locks: .*\. Run this again\.\n/);
});

test('networks that were added on the page come from the settings of a backup, in a folder', async () => {
  const settings = join(folder, 'settings');
  mkdirSync(settings);
  file('settings/settings.json', JSON.stringify({ bitcoin: { esplora: ['http://127.0.0.1:9'] } }));
  const bare = file('bare.json', JSON.stringify({ network: 'regtest' }));
  const given = ['--config', bare, '--data-dir', settings, '--seed-file', file('words', `${words}\n`)];
  const { code, out, err } = await rescue(...given, '--bundle', await bundle(words));
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/In the wallets of this seed:\n {2}Bitcoin: not known now, /);
});

test('a swap that the bundle does not hold is none to pass by', async () => {
  const given = ['--config', config(), '--seed-file', file('words', `${words}\n`), '--bundle', await bundle(words)];
  const { code, err } = await rescue(...given, '--by-hand', 'nobody');
  expect([code, err]).toEqual([2, 'The bundle holds no swap nobody: name one as the command lists it.\n']);
});

test('it refuses while a node has the data folder', async () => {
  const given = ['--config', config(), '--seed-file', file('words', words)];
  const lock = lockFolder(join(folder, 'data'));
  if (isRefusal(lock)) throw new Error(lock.sentence);
  const { code, err } = await rescue(...given);
  lock.release();
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/is in use by another Sluice .* While a node runs it claims and refunds by itself\./),
  ]);
});

test('what is wrong with its files is said in one sentence, before any network is asked', async () => {
  const good = ['--config', config(), '--bundle', await bundle(words)];
  const whole = ['--config', config(), '--seed-file', file('words', words)];
  // One after the other: they share a data folder.
  const wrongSeed = await rescue(...good, '--seed-file', file('others', others));
  const openWords = await rescue(...good, '--seed-file', file('open', words, 0o644));
  const noWords = await rescue(...good, '--seed-file', file('none', 'one two three'));
  const head = '{"sluice":"rescue","version":5,"network":"regtest","seed":"ab","writer":"cd","rewriting":0}';
  const cut = await rescue(...whole, '--bundle', file('cut', `${head}\nAAAA`));
  const missing = await rescue(...whole, '--bundle', join(folder, 'nowhere'));
  const noConfig = await rescue('--seed-file', file('words', words));
  const otherChain = await rescue(...whole, '--to', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4');
  const misspelt = await rescue('--bundel', 'x');
  expect([wrongSeed, openWords, noWords, cut, missing, noConfig, otherChain, misspelt].map(({ code }) => code)).toEqual(
    Array(8).fill(2),
  );
  expect([
    wrongSeed.err,
    openWords.err,
    noWords.err,
    cut.err,
    missing.err,
    noConfig.err,
    otherChain.err,
    misspelt.err,
  ]).toEqual([
    expect.stringMatching(/belongs to another seed/),
    expect.stringMatching(/chmod 600/),
    expect.stringMatching(/twelve or twenty-four words, these are 3/),
    expect.stringMatching(/damaged or was cut off/),
    expect.stringMatching(/cannot be read/),
    expect.stringMatching(/name the configuration with --config/),
    expect.stringMatching(
      /is no Bitcoin address of regtest, nor an account on EVM chains: take one of your own wallet/,
    ),
    expect.stringMatching(/Usage: npm run rescue/),
  ]);
});

test('a configuration without networks and the folder of a sandbox are told what to do', async () => {
  const none = file('none.json', '{}');
  const sandbox = join(folder, 'sandbox');
  mkdirSync(sandbox);
  writeFileSync(join(sandbox, 'network'), 'sandbox\n');
  const answers = [
    await rescue('--config', none),
    await rescue('--data-dir', sandbox),
    await rescue('--config', config(), '--data-dir', sandbox),
  ];
  const ofSandbox =
    `${sandbox} is the data folder of a sandbox, whose money is made up and whose networks run with it alone, so ` +
    'there is nothing to bring home: ' +
    `start it with "npm run headless -- --sandbox --data-dir ${sandbox}", and its node claims and refunds what is ` +
    'open.\n';
  expect(answers).toEqual([
    {
      code: 2,
      out: '',
      err:
        `The configuration ${none} connects no network, so there is nothing to bring home: add network, and ` +
        'bitcoin, arkade, lnd or evm with the endpoints of your own.\n',
    },
    { code: 2, out: '', err: ofSandbox },
    { code: 2, out: '', err: ofSandbox },
  ]);
});
