import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { createQueueWatch } from '../../engine/runtime/networks/arkade/queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function coinOf(n: number, expiresAt: number): Vtxo {
  return {
    outpoint: { txid: n.toString(16).padStart(64, '0'), vout: 0 },
    script: Uint8Array.of(n & 0xff),
    amount: sats(1_000),
    createdAt: unix(1),
    expiresAt: unix(expiresAt),
    recoverable: false,
    unrolled: false,
    spent: false,
    spentIn: null,
    spentBy: null,
    settledBy: null,
  };
}

/** A watch that counts what it asks and how often it looks at the clock. */
function watchOf() {
  const count = { questions: 0, clock: 0 };
  const clock = { now: 100 };
  const arkade = {
    waiting: () => (count.questions++, Promise.resolve([])),
  } as unknown as ArkadePort;
  const watch = createQueueWatch({
    arkade,
    wall: () => (count.clock++, unix(clock.now)),
    onClaim: () => undefined,
    onFailure: () => undefined,
  });
  return { watch, count, clock };
}

const by = { terms: {} as never, key: { branch: 'swap', index: 1 } as const, always: false };

test('with no coin to ask for the operator’s queue wakes nobody, and with one again at once', async () => {
  const { watch, count } = watchOf();
  watch.start();
  const atStart = vi.getTimerCount();
  watch.track('a', [coinOf(1, 1)], by);
  await vi.advanceTimersByTimeAsync(1_000);
  const first = count.questions;
  watch.forget('a');
  watch.track('b', [{ ...coinOf(2, 1), spent: true }], by);
  await vi.advanceTimersByTimeAsync(1_000);
  expect({ atStart, first, then: count.questions - first, timers: vi.getTimerCount() }).toEqual({
    atStart: 0,
    first: 10,
    then: 0,
    timers: 0,
  });
  await watch.stop();
});

test('a thousand coins that have time cost one look at the clock, ten times a second, until one expires', async () => {
  const { watch, count, clock } = watchOf();
  for (let i = 0; i < 1_000; i++) watch.track(`${i}`, [coinOf(i, i === 7 ? 200 : 1_000)], by);
  watch.start();
  await vi.advanceTimersByTimeAsync(1_000);
  const quiet = { ...count };
  clock.now = 200;
  await vi.advanceTimersByTimeAsync(1_000);
  await watch.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect({ quiet, questions: count.questions, timers: vi.getTimerCount() }).toEqual({
    quiet: { questions: 0, clock: 10 },
    questions: 10,
    timers: 0,
  });
});
