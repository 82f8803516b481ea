import { expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { gaveOf, gotOf } from '../../../renderer/records/payment.ts';
import { stepOf } from '../../../renderer/records/standing.ts';

const swap = (over: object): TakerSwap =>
  ({
    open: true,
    outcome: null,
    phase: 'wait',
    give: { amount: '1000' },
    get: { amount: '900' },
    paid: { state: 'none', amount: null },
    turn: { who: 'nobody', step: 'closed', until: null },
    ...over,
  }) as TakerSwap;

const both = (of: TakerSwap) => [gaveOf(of).amount, gotOf(of).amount];

test('what never came and is not wanted any more is 0, open or over; what is waited for stands as agreed', () => {
  expect([
    both(swap({})),
    both(swap({ open: false, outcome: 'unpaid' })),
    both(swap({ turn: { step: 'pay' } })),
    both(swap({ paid: { state: 'stands', amount: '700' } })),
    both(swap({ open: false, outcome: 'returned', paid: { state: 'back', amount: '700' } })),
  ]).toEqual([
    ['0', '0'],
    ['0', '0'],
    ['1000', '900'],
    ['700', '900'],
    ['700', '0'],
  ]);
});

test('what left is not said to be nothing, and what is not seen not to come back', () => {
  const leaving = { state: 'leaving', amount: null };
  const refund = { phase: 'refund', turn: { step: 'refund' } };
  expect([
    stepOf(swap({})),
    stepOf(swap({ paid: leaving })),
    stepOf(swap({ ...refund, paid: { state: 'unclear', amount: null } })),
    stepOf(swap({ ...refund, paid: { state: 'stands', amount: '1' } })),
  ]).toEqual(['closed', 'look', 'look', 'refund']);
});
