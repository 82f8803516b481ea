import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { always, inSomeOrder, secondsOf } from './file-order.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const slow = Object.keys(JSON.parse(readFileSync(`${root}test/tools/slow-files.json`, 'utf8')) as object);

test('every file that is known to be slow is there, and every one that comes first', () => {
  expect([...slow, ...always].filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
});

test('what is quick comes first as a rule, and what is slow comes first now and then', () => {
  const quick = Array.from({ length: 20 }, (_, at) => `quick-${at}`);
  const long = slow
    .filter((path) => !always.includes(path))
    .slice(0, 5)
    .map((path) => `${root}${path}`);
  expect(long.every((path) => secondsOf(path) > 10)).toBe(true);
  const firsts = Array.from({ length: 2_000 }, () => inSomeOrder([...long, ...quick], (one) => one)[0]);
  const share = firsts.filter((one) => long.includes(one ?? '')).length / firsts.length;
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(0.2);
});

test('what no run leaves out comes before everything else', () => {
  const quick = Array.from({ length: 200 }, (_, at) => `quick-${at}`);
  const ordered = inSomeOrder([...quick, ...always.map((path) => `${root}${path}`)], (one) => one);
  expect(ordered.slice(0, always.length)).toEqual(always.map((path) => `${root}${path}`));
});
