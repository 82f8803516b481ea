import { expect, test } from 'vitest';
import { fiatText, moneyText } from '../../../renderer/format/fiat.ts';

test('sats are worth their share of a bitcoin, in the digits that the page writes everywhere', () => {
  const usd = { currency: 'USD', price: 97_123.5, age_seconds: 1 };
  const yen = { currency: 'JPY', price: 15_000_000, age_seconds: 1 };
  expect([fiatText('100000000', usd), fiatText('1000', usd), fiatText('100', yen), moneyText(0, 'EUR')]).toEqual([
    '97,123.50 USD',
    '0.97 USD',
    '15 JPY',
    '0.00 EUR',
  ]);
});
