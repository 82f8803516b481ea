import { expect, test } from 'vitest';
import { mostSent } from '../../../renderer/pages/wallets/send-form.ts';

const ceilings = { withdrawalBps: 100, withdrawalMinSats: 1_000, withdrawalMaxSats: 50_000 };
const of = (network: string, more: object = {}) => ({
  ...{ network, free: '100000', gas: false, of: 'node' as const },
  ...more,
});

test('all that is free is sent on Arkade, and of a token of an EVM chain', () => {
  expect(['arkade', 'evm:137'].map((network) => mostSent(of(network), '', ceilings))).toEqual(['100000', '100000']);
});

test('over Lightning it is what the dearest route leaves: by the ceiling, or by the fee that was typed', () => {
  const most = (maxFee: string, settings: unknown = ceilings) => mostSent(of('lightning'), maxFee, settings);
  expect([most(''), most('2,000'), most('much'), most('100000'), most('', null), most('200', null)]).toEqual([
    '99490',
    '98000',
    null,
    null,
    null,
    '99800',
  ]);
});

test('nothing is offered where the fee comes out of the same, or nothing is free', () => {
  const none = [
    of('bitcoin'),
    of('evm:137', { gas: true }),
    of('evm:137', { of: 'swaps' }),
    of('lightning', { free: '0' }),
  ];
  expect(none.map((one) => mostSent(one, '', ceilings))).toEqual([null, null, null, null]);
});
