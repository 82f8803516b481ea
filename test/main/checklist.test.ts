import { expect, test } from 'vitest';
import type { Checklist, ChecklistStep } from '../../engine/contract/owner/checklist.ts';
import { checklistLines, outcomeOf } from '../../main/checklist.ts';

function checklist(ready: boolean, steps: Readonly<Record<string, ChecklistStep['state']>>): Checklist {
  const of = (id: string): Pick<ChecklistStep, 'id' | 'part'> => ({ id, part: id === 'prices' ? 'prices' : 'network' });
  const all = Object.entries(steps).map(([id, state]) => ({
    ...of(id),
    state,
    needed: false,
    warnings: [],
    sentence: `It is ${state}.`,
    act: 'Set it.',
  }));
  return { live: ready, ready, steps: all };
}

test('a network that nobody connected is left out once something can be swapped without it', () => {
  const without = checklist(true, { prices: 'done', lightning: 'done', evm: 'todo' });
  expect([outcomeOf(without), checklistLines(without)]).toEqual([
    'pass',
    [
      'done      prices     It is done.',
      'done      lightning  It is done.',
      'left out  evm        It is todo.',
      '',
      '2 done, 0 to do, 0 failed, 1 left out',
      'Strangers are offered swaps.',
    ],
  ]);
});

test.each([
  ['nothing can be swapped yet', checklist(false, { prices: 'done', evm: 'todo' }), 'warn'],
  ['another step is to do', checklist(true, { prices: 'todo', evm: 'todo' }), 'warn'],
  ['a network failed', checklist(true, { prices: 'done', evm: 'failed' }), 'fail'],
  ['a needed step failed, one to do besides', checklist(false, { prices: 'todo', evm: 'failed' }), 'fail'],
])('it is not over where %s', (_, now, outcome) => {
  expect(outcomeOf(now)).toBe(outcome);
});
