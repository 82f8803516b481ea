import { expect, test } from 'vitest';
import { day, hour, unix } from '../../../engine/domain/time.ts';
import { createTries } from '../../../engine/service/exits/tries.ts';

const at = 1_000_000;

test('what fails rests twice as long each time, a day at most, and nothing else rests with it', () => {
  const tries = createTries({ first: hour, factor: 2 });
  let wall = at;
  const rests: number[] = [];
  for (let time = 0; time < 7; time++) {
    tries.note('a coin', unix(wall));
    const begun = wall;
    while (tries.rests('a coin', unix(wall))) wall += hour / 2;
    rests.push(wall - begun);
  }
  expect(rests).toEqual([hour, 2 * hour, 4 * hour, 8 * hour, 16 * hour, day, day]);
  expect(tries.rests('another', unix(at))).toBe(false);
});

test('fault 122: a wall that was set back by hours makes no hour a day', () => {
  const tries = createTries({ first: hour, factor: 2 });
  tries.note('a coin', unix(at + 20 * hour));
  expect([19 * hour + 1, 19 * hour, 0].map((wall) => tries.rests('a coin', unix(at + wall)))).toEqual([
    true,
    false,
    false,
  ]);
});

test('fault 109: a wall that was set back by weeks makes no hour one of weeks', () => {
  const tries = createTries({ first: hour, factor: 2 });
  tries.note('a coin', unix(at + 30 * day));
  expect(tries.rests('a coin', unix(at + 30 * day + hour - 1))).toBe(true);
  expect(tries.rests('a coin', unix(at))).toBe(false);
});

test('what ends before a day has passed rests no longer than it may', () => {
  const tries = createTries({ first: hour, factor: 2 });
  for (let time = 0; time < 9; time++) tries.note('a coin', unix(at));
  expect([600, 599].map((passed) => tries.rests('a coin', unix(at + passed), 600))).toEqual([false, true]);
});
