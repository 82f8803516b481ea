import { expect, test } from 'vitest';
import { createLatest } from '../../engine/domain/latest.ts';

test('the last ones stay, by their number and by their bytes, and the very last whatever it takes', () => {
  const latest = createLatest<string, string>(3, 10, ({ length }) => length);
  const all = (): string => ['a', 'b', 'c', 'd', 'e'].filter((key) => latest.get(key) !== undefined).join('');
  for (const key of ['a', 'b', 'c', 'd']) latest.put(key, 'xx');
  expect(all()).toBe('bcd');
  latest.put('b', 'xxxx');
  expect(all()).toBe('bcd');
  latest.put('a', 'xxxxx');
  expect(all()).toBe('ab');
  latest.put('e', 'x'.repeat(50));
  expect(all()).toBe('e');
  latest.put('a', 'x');
  expect(all()).toBe('a');
});
