import { expect, test } from 'vitest';
import { isAhead, unix } from '../../engine/domain/time.ts';

const at = 1_000_000;

test('fault 109: a moment that was set a minute ahead is ahead for a minute, to the second', () => {
  const moment = unix(at + 60);
  const ahead = [at - 1, at, at + 59, at + 60, at - 86_400].filter((wall) => isAhead(moment, 60, unix(wall)));
  expect(ahead).toEqual([at, at + 59]);
});
