import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newFolder } from './support.ts';

const run = promisify(execFile);
const taker = fileURLToPath(new URL('index-taker.ts', import.meta.url));

/** What it says, of a process that may write files of so many kilobytes and no longer ones. */
async function within(
  kilobytes: number,
  folder: string,
): Promise<{ readonly given: number[]; readonly onDisk: number }> {
  const command = `ulimit -f ${2 * kilobytes}; exec "$0" "$@"`;
  const { stdout } = await run('sh', ['-c', command, process.execPath, taker, folder]);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof within>>;
}

test('fault 195, bitcoin: no index is given that the disk did not take', async () => {
  const { given, onDisk } = await within(4_096, newFolder());
  expect(new Set(given).size).toBe(given.length);
  expect(given).toEqual(Array.from({ length: onDisk }, (_, index) => index));
}, 60_000);

/** The driver's `get` reads one row, and drops how the statement ends: outside of a transaction, its commit. */
test('fault 195, bitcoin: of a statement that writes and returns, all is read', () => {
  const store = fileURLToPath(new URL('../../engine/store', import.meta.url));
  const readings = readdirSync(store)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(store, file), 'utf8');
      const statements = [...text.matchAll(/const (\w+) = db\.prepare(?:(?!db\.prepare)[^;])*RETURNING[^;]*;/g)];
      return statements.map(([, name = '']) => ({
        file,
        name,
        reads: new RegExp(`\\b${name}\\.(get|iterate)\\(`).test(text),
      }));
    });
  expect(readings.length).toBeGreaterThan(3);
  expect(readings.filter(({ reads }) => reads)).toEqual([]);
});
