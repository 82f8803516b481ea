import { expect, test } from 'vitest';
import { swapStatuses } from '../../engine/domain/status.ts';
import { directionText } from '../../renderer/format/directions.ts';
import { readSats, satsText } from '../../renderer/format/sats.ts';
import { spanText } from '../../renderer/format/span.ts';
import { meaningOf } from '../../renderer/format/status.ts';

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

test('amounts are read as people type them and nothing else is an amount', () => {
  expect(
    ['25000', ' 25,000 ', "25'000", '25 000', '0', '', '-1', '1.5', '1e3', '0x10', '99999999999999999'].map(readSats),
  ).toEqual([25_000, 25_000, 25_000, 25_000, null, null, null, null, null, null, null]);
  expect([satsText(1), satsText(25_000n)]).toEqual(['1 sat', '25,000 sats']);
});

test('every status of the protocol has words of its own', () => {
  const words = swapStatuses.map(meaningOf);
  expect([new Set(words).size, words.filter((text, i) => text === swapStatuses[i])]).toEqual([swapStatuses.length, []]);
});

test('a direction reads the same in both of its spellings', () => {
  expect(['lightning-arkade', 'lightning_to_arkade', 'btc_to_arkade', 'evm-bitcoin'].map(directionText)).toEqual([
    'Lightning to Arkade',
    'Lightning to Arkade',
    'Bitcoin to Arkade',
    'EVM to Bitcoin',
  ]);
});
