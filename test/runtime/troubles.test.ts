import { expect, test } from 'vitest';
import { alertName } from '../../engine/runtime/alert-names.ts';
import { createTroubles } from '../../engine/runtime/troubles.ts';
import { memoryLog } from './support.ts';

/** One swap in memory, and a store that may fail. */
function troubles(isWritable: boolean) {
  const alerts: [string | null, string][] = [];
  const lines = memoryLog();
  let row = { id: 'a', flag: null as string | null };
  const all = createTroubles({
    alerts: {
      raise: (id: string | null, sentence: string) => void alerts.push([id, alertName(id, sentence)]),
    } as never,
    log: lines.log,
    store: {
      swaps: {
        update(next: typeof row) {
          if (!isWritable) throw new Error('the disk is full');
          return next;
        },
      },
    } as never,
    workingSet: {
      find: (id: string) => (id === 'a' ? { row } : null),
      keep: (next: typeof row) => void (row = next),
    } as never,
  });
  return { ...all, alerts, lines, flag: () => row.flag };
}

test('a swap that an internal error stopped is flagged, told of, and its error stands in the log', () => {
  const { onBug, alerts, lines, flag } = troubles(true);
  onBug('a', new Error('a table has no entry'));
  expect([alerts, flag()]).toEqual([[['a', 'swap-stopped']], expect.stringMatching(/look at the log, then retry it/)]);
  expect(lines.lines.join()).toContain('a table has no entry');
});

test('its owner is told where the flag cannot be saved, and whatever cannot be read', () => {
  const { onBug, unread, owedUnread, alerts, flag } = troubles(false);
  onBug('a', 'no');
  unread('b', new Error('of a newer build'));
  owedUnread('a', new Error('damaged'));
  expect(alerts).toEqual([
    ['a', 'swap-stopped'],
    ['b', 'swap-unreadable'],
    ['a', 'swap-unreadable'],
  ]);
  expect(flag()).toBeNull();
});
