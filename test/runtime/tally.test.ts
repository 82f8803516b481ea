import { assert, constantFrom, integer, array, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { createWorkingSet, type AnyMachine, type Entry } from '../../engine/runtime/working-set.ts';
import type { Store } from '../../engine/store/store.ts';
import type { SwapRow } from '../../engine/store/swaps.ts';

const ids = ['a', 'b', 'c', 'd'];
const statuses = ['pending', 'clientfunded', 'serverredeemed'] as const;
const machine = {
  name: 'one',
  shape: {
    terms: { version: 1, read: (terms: unknown) => terms },
    progress: { version: 1, read: () => ({ at: 'here' }) },
  },
  watches: () => [],
  deadline: () => null,
} as unknown as AnyMachine;

/** A swap counts for its status, and twice for what is the client's. */
const towards = ({ row: { status } }: Entry): readonly string[] =>
  status === 'clientfunded' ? [status, 'client'] : status === 'pending' ? [status] : [];

const step = record({
  act: constantFrom('keep', 'end', 'undo', 'reread', 'tally'),
  id: constantFrom(...ids),
  status: constantFrom(...statuses),
  value: integer({ min: 0, max: 1_000_000 }),
});

test('a running sum is that of everything open, after whatever was kept, undone, read again or ended', () => {
  assert(
    property(array(step, { maxLength: 60 }), (steps) => {
      const rows = new Map<string, SwapRow>();
      const swaps = { openIds: () => [...rows.keys()], byId: (id: string) => rows.get(id) ?? null };
      const set = createWorkingSet({ swaps } as unknown as Store, [machine]);
      const tallies = [set.tally(towards)];
      for (const { act, id, status, value } of steps) {
        const row = { id, machine: 'one', status, valueSats: BigInt(value), open: act !== 'end' } as unknown as SwapRow;
        const undo = set.memoryOf(id);
        if (act === 'tally') tallies.push(set.tally(towards));
        else if (act === 'reread') {
          rows.set(id, row);
          set.reread(id);
        } else set.keep(row);
        if (act === 'undo') undo();
        for (const key of [...statuses, 'client']) {
          const walked = [...set.all()].filter((entry) => towards(entry).includes(key));
          const sum = walked.reduce((all, entry) => all + entry.row.valueSats, 0n);
          expect(tallies.map((of) => of(key))).toEqual(tallies.map(() => sum));
        }
      }
    }),
    { numRuns: 200 },
  );
});
