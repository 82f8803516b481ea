import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountText, figureText, readUnits } from '../../../renderer/format/amount.ts';

test('figures are grouped, never rounded, and have two places where there are any', () => {
  expect([
    figureText('1250000', 0),
    figureText('1117630000', 6),
    figureText('560000', 6),
    figureText('431877', 8),
    figureText('1', 18),
    amountText({ amount: '1', decimals: 0, symbol: 'sats' }),
    amountText({ amount: '25000', decimals: 8, symbol: 'BTC' }),
    amountText({ amount: '2400000000', decimals: 6, symbol: 'USDC' }),
  ]).toEqual([
    '1,250,000',
    '1,117.63',
    '0.56',
    '0.00431877',
    '0.000000000000000001',
    '1 sat',
    '25,000 sats',
    '2,400.00 USDC',
  ]);
});

test('amounts are read as people type them, and nothing else is an amount', () => {
  expect(
    ['25,000', '1.5', '1.', '.5', '0', '0.00', '-1', '1e3', '1.1234567', ''].map((text) => readUnits(text, 6)),
  ).toEqual(['25000000000', '1500000', '1000000', null, null, null, null, null, null, null]);
});

test('what is written is read as the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.integer({ min: 0, max: 18 }), (amount, decimals) => {
      expect(readUnits(figureText(`${amount}`, decimals), decimals)).toBe(`${amount}`);
    }),
    { numRuns: 200 },
  );
});
