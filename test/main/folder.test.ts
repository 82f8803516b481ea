import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { bindFolder, boundName, defaultFolder, makeFolder } from '../../main/folder.ts';
import { lockFolder } from '../../main/lock.ts';
import { ownerToken } from '../../main/token.ts';

let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A process of its own that takes the lock and keeps it. */
async function holder(): Promise<ChildProcess> {
  const lock = new URL('../../main/lock.ts', import.meta.url).href;
  // What nobody refers to is collected before the line: the lock must not hang on that.
  const script = `
    const { lockFolder } = await import(${JSON.stringify(lock)});
    setTimeout((taken) => {
      for (let i = 0; i < 3; i++) globalThis.gc();
      setTimeout(() => console.log(taken), 20);
    }, 20, 'release' in lockFolder(${JSON.stringify(folder)}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  expect(String(line).trim()).toBe('true');
  return child;
}

test('fault 4: a folder in use is refused with the process number, and free once that one is killed', async () => {
  const child = await holder();
  expect(lockFolder(folder)).toEqual({
    refusal: 'unavailable',
    sentence:
      `The data folder ${folder} is in use by another Sluice (process ${child.pid}): stop that one first or choose ` +
      'another folder with --data-dir.',
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = lockFolder(folder);
  if (isRefusal(lock)) throw new Error(lock.sentence);
  expect(readFileSync(join(folder, 'sluice.pid'), 'utf8')).toBe(`${process.pid}\n`);
  lock.release();
});

test('a pid file that names a living stranger locks nothing', () => {
  writeFileSync(join(folder, 'sluice.pid'), '1\n');
  const lock = lockFolder(folder);
  expect(isRefusal(lock)).toBe(false);
  expect(isRefusal(lockFolder(folder))).toBe(true);
  if (!isRefusal(lock)) lock.release();
  expect(existsSync(join(folder, 'sluice.pid'))).toBe(false);
});

test('one folder holds one network for ever', () => {
  expect([
    boundName(folder),
    bindFolder(folder, 'regtest'),
    bindFolder(folder, 'regtest'),
    boundName(folder),
    bindFolder(folder, 'mainnet'),
  ]).toEqual([
    null,
    null,
    null,
    'regtest',
    {
      refusal: 'invalid',
      sentence:
        `The data folder ${folder} belongs to regtest for ever, this start is for mainnet: choose another folder ` +
        'with --data-dir.',
    },
  ]);
});

test('the folder is made for its owner alone, and one full of other things is left as it is', () => {
  const fresh = join(folder, 'a', 'b');
  const foreign = join(folder, 'documents');
  mkdirSync(foreign, { mode: 0o755 });
  writeFileSync(join(foreign, 'letter.txt'), 'dear all');
  expect([
    makeFolder(fresh),
    statSync(fresh).mode & 0o777,
    isRefusal(makeFolder(foreign)),
    statSync(foreign).mode & 0o777,
  ]).toEqual([null, 0o700, true, 0o755]);
});

test('what a backup holds may lie in a folder before its first start, and no strange settings alone', () => {
  const made = (name: string, ...files: string[]): boolean => {
    const path = join(folder, name);
    mkdirSync(path);
    for (const file of files) writeFileSync(join(path, file), '');
    return makeFolder(path) === null;
  };
  const backup = ['rescue.bundle', 'partials', 'settings.json'];
  expect([
    made('restored', 'sluice.db', ...backup),
    made('restored-after-the-words', 'seed.sealed', 'high-water.last', 'sluice.db'),
    made('of-another-program', 'settings.json'),
    made('with-a-letter', 'sluice.db', 'letter.txt'),
  ]).toEqual([true, true, false, false]);
});

test('the owner token is 256 bits, made once, for its owner alone', () => {
  const first = ownerToken(folder);
  const again = ownerToken(folder);
  expect(first).toEqual({ token: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect([again, statSync(join(folder, 'owner.token')).mode & 0o777]).toEqual([first, 0o600]);
  writeFileSync(join(folder, 'owner.token'), 'hello');
  expect(isRefusal(ownerToken(folder))).toBe(true);
});

test('the default folder is where the platform keeps data', () => {
  expect([
    defaultFolder('sandbox', 'linux', { XDG_DATA_HOME: '/data' }),
    defaultFolder('mainnet', 'win32', { LOCALAPPDATA: '/local' }),
    defaultFolder('signet', 'darwin', {}).endsWith(join('Library', 'Application Support', 'sluice', 'signet')),
  ]).toEqual(['/data/sluice/sandbox', '/local/sluice/mainnet', true]);
});
