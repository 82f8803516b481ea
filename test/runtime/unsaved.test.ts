import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Effect } from '../../engine/swap/machine.ts';
import { createFromMemory } from '../../engine/runtime/from-memory.ts';
import { createUnsaved } from '../../engine/runtime/unsaved.ts';
import { preimage } from '../swap/cases.ts';
import { memoryLog } from './support.ts';

/* Which coin a swap goes by whose step could not be saved. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Options = Parameters<typeof createFromMemory>[0];

const claimOf = (vout: number) =>
  ({ do: 'htlc.spend', purpose: 'claim', coin: { txid: '11'.repeat(32), vout } }) as Effect & { do: 'htlc.spend' };

/** The news of the second coin could not be saved; `retry` gives them again. */
function withNews(retry: () => unknown) {
  const { log } = memoryLog();
  const fromMemory = createFromMemory({ log, ports: {} } as unknown as Options);
  const unsaved = createUnsaved({
    ...{ log, fromMemory, onBug: () => undefined },
    guard: { raise: () => undefined, lower: () => undefined } as never,
    alerts: { raise: () => undefined } as never,
  });
  const step = { progress: {}, effects: [claimOf(2)], learned: preimage };
  unsaved.add('the disk is full', { swap: 'a', key: 'a htlc.seen', retry, step });
  return { unsaved, isOvertaken: () => fromMemory.isOvertaken({ subject: 'a', effect: claimOf(1) }) };
}

test('fault 310, bitcoin: news that fail when they are given again hold no claim of a saved coin up', () => {
  const { isOvertaken } = withNews(() => {
    throw new Error('a bug');
  });
  expect(isOvertaken()).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(isOvertaken()).toBe(false);
});

test('fault 310, bitcoin: other news that the disk takes say nothing of a coin that it did not take', () => {
  const { unsaved, isOvertaken } = withNews(() => again());
  const again = () =>
    unsaved.add('full', {
      ...{ swap: 'a', key: 'a htlc.seen', retry: again },
      step: { progress: {}, effects: [claimOf(2)], learned: preimage },
    });
  unsaved.add('full', { swap: 'a', key: 'a clock', retry: () => undefined, step: null });
  vi.advanceTimersByTime(1_000);
  expect(isOvertaken()).toBe(true);
});
