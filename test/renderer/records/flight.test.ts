import { expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { flightOf } from '../../../renderer/records/flight.ts';

const swap = (over: Partial<TakerSwap>, alone: number | null = 100): TakerSwap =>
  ({
    open: true,
    phase: 'wait',
    attention: 'waiting',
    give: { amount: '1000', decimals: 8, symbol: 'BTC' },
    paid: { state: 'stands', amount: null },
    refund: { state: 'later', from: alone, why: null },
    times: { refund_alone_from: alone },
    ...over,
  }) as TakerSwap;

test('in flight is what is paid and neither arrived nor back, summed by asset, with its last date', () => {
  const usdc = { amount: '5', decimals: 6, symbol: 'USDC' } as TakerSwap['give'];
  const flight = flightOf([
    swap({}),
    swap({ phase: 'refund', attention: 'needs-you' }, 200),
    swap({ phase: 'pay', paid: { state: 'none', amount: null } }, 900),
    swap({ paid: { state: 'none', amount: null } }, 900),
    swap({ give: usdc }),
    swap({ open: false, phase: 'over' }),
  ]);
  expect([
    flight.open,
    flight.needsYou,
    flight.backBy,
    flight.amounts.map(({ amount, symbol }) => [amount, symbol]),
  ]).toEqual([
    5,
    1,
    200,
    [
      ['2000', 'BTC'],
      ['5', 'USDC'],
    ],
  ]);
});

test('what was never seen to be paid is not in flight, whatever its phase is', () => {
  const closed = swap({ paid: { state: 'none', amount: null } });
  expect([flightOf([closed]).amounts, flightOf([closed]).open]).toEqual([[], 1]);
});

test('what was seen counts as much as it was, and a claim under way has no date to be back by', () => {
  const less = swap({ paid: { state: 'stands', amount: '400' } });
  const claimed = swap({ phase: 'claim' });
  expect([flightOf([less]).amounts[0]?.amount, flightOf([less, claimed]).backBy]).toEqual(['400', null]);
});

test('where one of them has no date, none is promised for all', () => {
  expect([flightOf([swap({}), swap({}, null)]).backBy, flightOf([]).amounts]).toEqual([null, []]);
});
