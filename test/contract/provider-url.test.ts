import { expect, test } from 'vitest';
import { parse } from '../../engine/contract/field.ts';
import { takerRestoreBody, takerSwapBody } from '../../engine/contract/taker.ts';
import { isRefusal } from '../../engine/domain/errors.ts';

const order = { direction: 'lightning-arkade', amount_sats: 50_000 };

test('a provider may be left out for this node, and null is no provider', () => {
  const sentence =
    'provider_url cannot be null: send the https address of a provider, or leave it out to swap with this node.';
  expect([
    parse(takerSwapBody, { ...order, provider_url: null }),
    parse(takerRestoreBody, { provider_url: null }),
  ]).toEqual([
    { refusal: 'invalid', sentence },
    { refusal: 'invalid', sentence },
  ]);
  const left = parse(takerSwapBody, order);
  const named = parse(takerRestoreBody, { provider_url: 'https://swaps.example/' });
  expect([isRefusal(left) ? left : left.provider, named]).toEqual(['', { provider: 'https://swaps.example' }]);
  expect(isRefusal(parse(takerRestoreBody, { provider_url: 'ftp://swaps.example' }))).toBe(true);
});
