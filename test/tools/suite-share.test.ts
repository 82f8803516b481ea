import { expect, test } from 'vitest';
import { shareAfter } from './suite-share.ts';

test.each([
  ['a build that was there costs nothing', '529', 0.2, '529'],
  ['one of five minutes neither', '529', 300, '529'],
  ['one of nine minutes takes four of the tests', '529', 540, '289'],
  ['one that takes all leaves a minute', '529', 1_200, '60'],
  ['a share that is less than that stays', '40', 1_200, '40'],
  ['without a share there is none', undefined, 540, undefined],
  ['what is no share is for whoever reads it to refuse', 'many', 540, 'many'],
] as const)('of a suite that builds first: %s', (_, share, seconds, left) => {
  expect(shareAfter(share, seconds)).toBe(left);
});

test('whatever the build takes up to twelve minutes, it and the tests end before the suite is ended', () => {
  for (let seconds = 0; seconds <= 720; seconds += 20)
    for (const share of [300, 529, 900])
      expect(seconds + Number(shareAfter(String(share), seconds))).toBeLessThanOrEqual(share + 480);
});
