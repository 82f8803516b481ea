import { expect, test } from 'vitest';
import { list } from '../../engine/runtime/listing.ts';
import type { Entry } from '../../engine/runtime/working-set.ts';
import { clocksAt, start } from '../swap/cases.ts';
import { takeArkadeCase } from '../taker/cases.ts';
import { openStore, swapRow } from '../store/support.ts';

test('what cannot be listed is said in the log, and fails no commit that it is part of', () => {
  const { store } = openStore();
  const warned: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_: object, text: string) => void warned.push(text),
    error: () => undefined,
  };
  const machine = {
    ...takeArkadeCase.machine,
    listing(): never {
      throw new TypeError('a field is missing');
    },
  };
  const row = swapRow({ machine: machine.name });
  store.atomically(() => {
    store.swaps.insert(row);
    list(store, { row, machine } as unknown as Entry, clocksAt(start), log);
  });
  expect([store.swaps.byId(row.id)?.id, store.takerSwaps.counts(), warned]).toEqual([
    row.id,
    [],
    ['a swap could not be listed: it may not be found until the next start'],
  ]);
});
