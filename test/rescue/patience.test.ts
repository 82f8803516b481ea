import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { closeSync, constants, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPatience } from '../../engine/rescue/patience.ts';
import { newFolder } from '../store/support.ts';

test('fault 91: a place that never answers keeps one thread, and files and names are read beside it', async () => {
  const place = join(newFolder(), 'share');
  execFileSync('mkfifo', [place]); // Whoever opens it to read waits for a writer.
  const patiently = createPatience(20);
  const tries: string[] = [];
  for (let i = 0; i < 8; i++)
    await patiently(place, () => readFile(place)).catch((cause: Error) => tries.push(cause.message));
  const beside = Promise.all([readFile(import.meta.filename, 'utf8'), lookup('127.0.0.1')]).then(() => 'read');
  expect([tries, await Promise.race([beside, sleep(3_000, 'waits')])]).toEqual([
    Array(8).fill('it does not answer'),
    'read',
  ]);
  closeSync(openSync(place, constants.O_WRONLY));
});

test('a place that answers again is asked again', async () => {
  const patiently = createPatience(20);
  let answer = (): void => undefined;
  const slow = new Promise<void>((resolve) => (answer = resolve));
  await expect(patiently('a', () => slow)).rejects.toThrow('it does not answer');
  await expect(patiently('a', async () => 1)).rejects.toThrow('it does not answer');
  expect(await patiently('b', async () => 2)).toBe(2);
  answer();
  await slow;
  await sleep(0);
  expect(await patiently('a', async () => 3)).toBe(3);
});
