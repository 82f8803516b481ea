import { expect, test } from 'vitest';
import { hour, isAhead, lookedAfter, unix } from '../../engine/domain/time.ts';

const at = 1_000_000;

test('fault 109: a moment that was set a minute ahead is ahead for a minute, to the second', () => {
  const moment = unix(at + 60);
  const ahead = [at - 1, at, at + 59, at + 60, at - 86_400].filter((wall) => isAhead(moment, 60, unix(wall)));
  expect(ahead).toEqual([at, at + 59]);
});

test('fault 122: a look began after what was heard, or so long before that the wall was set back since', () => {
  const began = [at + 1, at, at - 1, at - hour + 1, at - hour, at - 86_400];
  expect(began.filter((look) => lookedAfter(unix(at), unix(look)))).toEqual([at + 1, at - hour, at - 86_400]);
});
