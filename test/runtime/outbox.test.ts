import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PortFailure } from '../../engine/domain/errors.ts';
import { createOutbox, NotYet, type Handler } from '../../engine/runtime/outbox.ts';
import type { EffectRow } from '../../engine/store/effects.ts';
import type { Effect } from '../../engine/swap/machine.ts';
import { hash } from '../swap/cases.ts';
import { openStore } from '../store/support.ts';
import { memoryLog } from './support.ts';

const cancel: Effect = { do: 'hold.cancel', hash };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An outbox whose effects do what the test says, by the number of the effect. */
function outboxOf(act: (row: EffectRow<Effect>, signal: AbortSignal) => Promise<void>, parkedMs?: number) {
  const { store } = openStore();
  const acted: string[] = [];
  const parked: string[] = [];
  const alarms: string[] = [];
  const handler: Handler = async (row, signal) => {
    acted.push(`${row.subject}${row.id}`);
    await act(row, signal);
    store.effects.done(row.id);
  };
  const outbox = createOutbox({ store, handler, log: memoryLog().log, nowMs: () => Date.now(), onParked: (row, reason) => void parked.push(`${row.subject}${row.id} ${reason}`), onAlarm: (row, reason) => void alarms.push(`${row.subject}${row.id} ${reason}`), ...(parkedMs === undefined ? {} : { parkedMs }) });
  function ask(...subjects: string[]): void {
    outbox.add(subjects.map((subject) => store.effects.insert(subject, cancel, 0)));
  }
  return { store, outbox, acted, parked, alarms, ask };
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test('effects of one swap run one after another in order, those of others meanwhile', async () => {
  const running: string[] = [];
  const { outbox, ask, acted, store } = outboxOf(async ({ subject }) => {
    running.push(subject);
    if (running.filter((one) => one === subject).length > 1) throw new Error('two at once');
    await after(100);
    running.splice(running.indexOf(subject), 1);
  });
  ask('a', 'a', 'b', 'a');
  outbox.start();
  await vi.advanceTimersByTimeAsync(50);
  const first = [...acted];
  await vi.advanceTimersByTimeAsync(1_000);
  expect({ first, all: acted, size: outbox.size, owed: store.effects.waiting() }).toEqual({ first: ['a1', 'b3'], all: ['a1', 'b3', 'a2', 'a4'], size: 0, owed: [] });
});

test('what may be repeated is repeated for ever, with pauses that grow to fifteen seconds', async () => {
  const at: number[] = [];
  const { outbox, ask, store } = outboxOf(async () => {
    at.push(Date.now());
    throw new PortFailure('away', at.length % 2 === 0 ? 'safe' : 'ask-first', 'nobody answers');
  });
  ask('a');
  outbox.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(at.slice(1, 9).map((time, i) => time - (at[i] ?? 0))).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(store.effects.waiting()).toMatchObject([{ attempts: at.length, parked: null }]);
});

test('an effect that is told to come back comes back then, and the next one waits for it', async () => {
  let looks = 0;
  const { outbox, ask, acted } = outboxOf(async ({ id }) => {
    if (id === 1 && ++looks < 3) throw new NotYet(10, 'the chain is not there yet');
  });
  ask('a', 'a');
  outbox.start();
  await vi.advanceTimersByTimeAsync(19_000);
  const before = [...acted];
  await vi.advanceTimersByTimeAsync(2_000);
  expect([before, acted]).toEqual([['a1', 'a1'], ['a1', 'a1', 'a1', 'a2']]);
});

describe('an effect that cannot be repeated', () => {
  test.each([
    ['was refused for good', new PortFailure('refused', 'never', 'the node says no')],
    ['met a bug', new TypeError('the node says no')],
  ])('because it %s is kept for a person, who is told, and the others go on', async (_, cause) => {
    const { outbox, ask, acted, parked, store } = outboxOf(async ({ id }) => {
      if (id === 1) throw cause;
    });
    ask('a', 'a', 'b');
    outbox.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ acted, parked, kept: store.effects.of('a').map((row) => row.parked), waiting: store.effects.waiting() }).toEqual({
      acted: ['a1', 'b3', 'a2'],
      parked: ['a1 the node says no'],
      kept: ['the node says no'],
      waiting: [],
    });
  });
});

test('a disk that is full gives nothing up: the effect is tried again', async () => {
  let tries = 0;
  const { outbox, ask, parked, store } = outboxOf(async () => {
    if (++tries === 1) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  });
  ask('a');
  outbox.start();
  await vi.advanceTimersByTimeAsync(20_000);
  expect({ tries, parked, owed: store.effects.of('a') }).toEqual({ tries: 2, parked: [], owed: [] });
});

describe('what was given up', () => {
  const refused = new PortFailure('operator-refused', 'never', 'the operator is on another network');

  test('is told to the owner and tried once more after a rest', async () => {
    let tries = 0;
    const { outbox, ask, parked, store } = outboxOf(async () => {
      if (++tries === 1) throw refused;
    }, 60_000);
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(59_000);
    const before = tries;
    await vi.advanceTimersByTimeAsync(2_000);
    expect({ before, tries, parked, owed: store.effects.of('a') }).toEqual({ before: 1, tries: 2, parked: [`a1 ${refused.message}`], owed: [] });
  });

  test('and then dropped by a commit stays dropped', async () => {
    const { outbox, ask, acted, store } = outboxOf(async () => {
      throw refused;
    }, 60_000);
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(1_000);
    store.effects.retire('a');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(acted).toEqual(['a1']);
  });
});

describe('a swap that turned', () => {
  test('does not wait for an effect that is tried again and again', async () => {
    const { outbox, ask, acted, store } = outboxOf(async ({ id }) => {
      if (id === 1) throw new PortFailure('away', 'safe', 'nobody answers');
    });
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(10_000);
    store.effects.retire('a');
    outbox.supersede('a');
    acted.length = 0;
    ask('a');
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ acted, owed: store.effects.of('a') }).toEqual({ acted: ['a2'], owed: [] });
  });

  test('does not wait for one that is running, which is not repeated when it fails', async () => {
    const { outbox, ask, acted, store, parked } = outboxOf(async ({ id }) => {
      if (id > 1) return;
      await after(5_000);
      throw new PortFailure('away', 'safe', 'nobody answered');
    });
    ask('a', 'a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(1_000);
    store.effects.retire('a');
    outbox.supersede('a');
    ask('a');
    await vi.advanceTimersByTimeAsync(10);
    const at = [...acted];
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ at, acted, parked, size: outbox.size }).toEqual({ at: ['a1', 'a3'], acted: ['a1', 'a3'], parked: [], size: 0 });
  });
});

test('stopping aborts what runs, waits for it, starts nothing more and forgets nothing', async () => {
  const { outbox, ask, acted, store } = outboxOf((_, signal) => new Promise((__, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))));
  ask('a', 'a', 'b');
  outbox.start();
  await vi.advanceTimersByTimeAsync(10);
  await outbox.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect({ acted, owed: store.effects.waiting().length, parked: store.effects.of('a').map((row) => row.parked) }).toEqual({ acted: ['a1', 'b3'], owed: 3, parked: [null, null] });
});

test('what waited before a restart is tried at once', async () => {
  const { outbox, acted, store } = outboxOf(async () => undefined);
  const row = store.effects.insert('a', cancel, 0);
  store.effects.postpone(row.id, Date.now() + 3_600_000);
  outbox.add(store.effects.waiting());
  outbox.start();
  await vi.advanceTimersByTimeAsync(10);
  expect(acted).toEqual(['a1']);
});

test('what a person should know is said, and the effect is tried again all the same', async () => {
  const { outbox, ask, acted, alarms, parked } = outboxOf(async ({ attempts }) => {
    if (attempts < 2) throw new NotYet(0.02, 'the script is banned', attempts === 0);
  });
  ask('a');
  outbox.start();
  await expect.poll(() => outbox.size).toBe(0);
  await outbox.stop();
  expect({ acted, alarms, parked }).toEqual({ acted: ['a1', 'a1', 'a1'], alarms: ['a1 the script is banned'], parked: [] });
});
