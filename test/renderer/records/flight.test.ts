import { expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { flightOf } from '../../../renderer/records/flight.ts';

const swap = (over: Partial<TakerSwap>, alone: number | null = 100): TakerSwap =>
  ({
    open: true,
    phase: 'wait',
    attention: 'waiting',
    give: { amount: '1000', decimals: 8, symbol: 'BTC' },
    refund: { state: 'later', from: alone, why: null },
    times: { refund_alone_from: alone },
    ...over,
  }) as TakerSwap;

test('in flight is what is paid and neither arrived nor back, summed by asset, with its last date', () => {
  const usdc = { amount: '5', decimals: 6, symbol: 'USDC' } as TakerSwap['give'];
  const flight = flightOf([
    swap({}),
    swap({ phase: 'refund', attention: 'needs-you' }, 200),
    swap({ phase: 'pay' }, 900),
    swap({ give: usdc }),
    swap({ open: false, phase: 'over' }),
  ]);
  expect([
    flight.open,
    flight.needsYou,
    flight.backBy,
    flight.amounts.map(({ amount, symbol }) => [amount, symbol]),
  ]).toEqual([
    4,
    1,
    200,
    [
      ['2000', 'BTC'],
      ['5', 'USDC'],
    ],
  ]);
});

test('where one of them has no date, none is promised for all', () => {
  expect([flightOf([swap({}), swap({}, null)]).backBy, flightOf([]).amounts]).toEqual([null, []]);
});
