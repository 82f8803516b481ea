import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inspectDatabase } from '../../engine/store/inspect.ts';
import { openDatabase } from '../../engine/store/open.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'sluice-backup-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function backup(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'backup.ts');
  return promisify(execFile)(process.execPath, [program, ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      out: error.stdout,
      err: error.stderr,
    }),
  );
}

test('the command copies once, says what is not in the copy, and refuses the second time', async () => {
  const db = openDatabase(folder);
  const to = join(folder, 'copy.db');
  for (const name of ['rescue.bundle', 'partials', 'settings.json']) writeFileSync(join(folder, name), `${name}!`);
  const [first, second, misused, unknown] = [
    await backup('--data-dir', folder, '--to', to),
    await backup('--data-dir', folder, '--to', to),
    await backup('--to', to),
    await backup('--too', to),
  ];
  db.close();
  expect([first.code, second.code, misused.code, unknown.code]).toEqual([0, 1, 1, 1]);
  expect(first.out).toMatch(
    /^The rescue bundle of .*copy\.db\.rescue\.\nThe notes .*copy\.db\.rescue\.partials\.\nThe settings .*copy\.db\.settings\.json\.\nThe database is copied to .*copy\.db and was found whole .*\nThe copy lacks the seed, .*\nTo go back to it, stop the node, /,
  );
  expect([second.err.trim(), misused.err.trim(), unknown.err.trim()]).toEqual([
    `${to} exists, and no backup is overwritten: name another file with --to.`,
    'Usage: npm run backup -- --data-dir DIR --to FILE',
    expect.stringContaining('Usage: npm run backup'),
  ]);
  // The notes have the name that rescue looks for beside a bundle.
  for (const [end, name] of [
    ['.rescue', 'rescue.bundle'],
    ['.rescue.partials', 'partials'],
    ['.settings.json', 'settings.json'],
  ] as const)
    expect([readFileSync(`${to}${end}`, 'utf8'), statSync(`${to}${end}`).mode & 0o777]).toEqual([`${name}!`, 0o600]);
  expect([statSync(to).mode & 0o777, inspectDatabase(to)?.damage]).toEqual([0o600, null]);
});
