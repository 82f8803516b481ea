import { expect, test } from 'vitest';
import { spanText } from '../../../renderer/format/span.ts';

test('a span shows its two largest units', () => {
  expect([-5, 0, 5, 65, 3_600, 3_661, 86_399, 90_061].map(spanText)).toEqual([
    'now',
    'now',
    '5 s',
    '1 min 5 s',
    '1 h',
    '1 h 1 min',
    '23 h 59 min',
    '1 d 1 h',
  ]);
});
