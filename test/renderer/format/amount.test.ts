import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountText, figureText, readUnits, shortFigure, shortText } from '../../../renderer/format/amount.ts';

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

test('what is looked at has eight places at most, rounded down, and more where those are all zero', () => {
  expect([
    shortFigure('9998997244739999954079', 18),
    shortFigure('1999999999999999999', 18),
    shortFigure('5000000000000000001', 18),
    shortFigure('123456789999', 18),
    shortFigure('1', 18),
    shortFigure('0', 18),
    shortFigure('431877', 8),
    shortText({ amount: '1234567890123456789', decimals: 18, symbol: 'tBTC' }),
  ]).toEqual([
    '9,998.99724473',
    '1.99999999',
    '5.00',
    '0.00000012345678',
    '0.000000000000000001',
    '0.00',
    '0.00431877',
    '1.23456789 tBTC',
  ]);
});

test('what is looked at is never more than there is, never nothing, and off by little', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n - 1n }), fc.integer({ min: 0, max: 18 }), (amount, decimals) => {
      const short = BigInt(readUnits(shortFigure(`${amount}`, decimals), decimals) ?? 0n);
      expect(short > 0n && short <= amount && (amount - short) * 10_000_000n < amount).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('amounts are read as people type them, and nothing else is an amount', () => {
  expect(
    ['25,000', '1.5', '1.', '.5', '0', '0.00', '-1', '1e3', '1.1234567', ''].map((text) => readUnits(text, 6)),
  ).toEqual(['25000000000', '1500000', '1000000', null, null, null, null, null, null, null]);
});

test('what is written is read as the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n - 1n }), fc.integer({ min: 0, max: 18 }), (amount, decimals) => {
      expect(readUnits(figureText(`${amount}`, decimals), decimals)).toBe(`${amount}`);
    }),
    { numRuns: 200 },
  );
});
