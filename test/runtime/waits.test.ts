import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Commits } from '../../engine/runtime/commit.ts';
import type { Committed } from '../../engine/runtime/committed.ts';
import { createSentMemory } from '../../engine/runtime/networks/sent-memory.ts';
import { createWaits } from '../../engine/runtime/waits.ts';

/** A book of what happens, in which one listener after another can be counted. */
function book() {
  const listeners = new Set<Parameters<Commits['onCommit']>[0]>();
  const sent = createSentMemory();
  const commits = {
    onCommit(listener: Parameters<Commits['onCommit']>[0]) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as Pick<Commits, 'onCommit'> as Commits;
  return {
    waits: createWaits({ commits, taken: sent }),
    sent,
    listeners,
    committed(id: string) {
      for (const listener of listeners) listener({ entry: { row: { id } } } as Committed);
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what is there already is found without a wait', async () => {
  const { waits, listeners } = book();
  expect(await waits.found('one', () => 7, 1_000)).toBe(7);
  expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a step of the swap that is waited for is looked at, and none of another', async () => {
  const { waits, listeners, committed } = book();
  const look = vi.fn<() => string | null>(() => null);
  const answer = waits.found('one', look, 1_000);
  committed('two');
  expect(look).toHaveBeenCalledTimes(1);
  look.mockReturnValue('there');
  committed('one');
  expect(await answer).toBe('there');
  expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a transaction that a node took is a reason to look', async () => {
  const { waits, sent } = book();
  let value: string | null = null;
  const answer = waits.found('one', () => value, 1_000);
  value = 'sent';
  sent.add('ab'.repeat(32));
  expect(await answer).toBe('sent');
});

test('when the time is over there is one more look', async () => {
  const { waits } = book();
  let value: string | null = null;
  const late = waits.found('one', () => value, 1_000);
  const none = waits.found('one', () => null, 1_000);
  value = 'in the last moment';
  vi.advanceTimersByTime(1_000);
  expect([await late, await none]).toEqual(['in the last moment', null]);
});

test('a look that throws is told to whoever waits, and leaves nothing behind', async () => {
  const { waits, listeners, committed } = book();
  const look = vi.fn<() => string | null>(() => null);
  const answer = waits.found('one', look, 1_000);
  look.mockImplementation(() => {
    throw new Error('no such row');
  });
  committed('one');
  await expect(answer).rejects.toThrow('no such row');
  expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('nobody waits on when the node stops, and nothing is looked at any more', async () => {
  const { waits, listeners } = book();
  const look = vi.fn<() => string | null>(() => null);
  const answer = waits.found('one', look, 10_000);
  waits.stop();
  expect(await answer).toBeNull();
  expect(await waits.found('two', look, 10_000)).toBeNull();
  vi.advanceTimersByTime(20_000);
  expect(look).toHaveBeenCalledTimes(1);
  expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
});
