import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHighWater } from '../../engine/store/high-water.ts';
import { newFolder } from './support.ts';

test('a database that is behind its folder is known, one that is level is not', () => {
  const folder = newFolder();
  const first = createHighWater(folder);
  for (let index = 0; index < 200; index++) first.reach(index);
  const again = createHighWater(folder);
  expect([again.ahead(200), again.ahead(199), again.ahead(20)]).toEqual([null, null, expect.any(Number)]);
  expect(again.ahead(20)).toBeGreaterThanOrEqual(200);
});

test('a mark that is no number is refused with what to do', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'high-water'), 'many');
  expect(() => createHighWater(folder)).toThrow(/does not hold a whole number: restore it or remove it/);
});
