import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { NotYet } from '../../engine/runtime/not-yet.ts';
import { createOutbox, type Handler } from '../../engine/runtime/outbox.ts';
import { createPacing } from '../../engine/runtime/pacing.ts';
import { createWallets } from '../../engine/runtime/wallets.ts';
import type { EffectRow } from '../../engine/store/effects.ts';
import type { Effect } from '../../engine/swap/machine.ts';
import { hash } from '../swap/cases.ts';
import { openStore } from '../store/support.ts';
import { memoryLog } from './support.ts';
import { anyFailure } from '../support/failure.ts';
import { arkadeFailure } from '../../engine/legs/arkade/failures.ts';

const cancel: Effect = { do: 'hold.cancel', hash };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An outbox whose effects do what the test says, by the number of the effect. */
function outboxOf(act: (row: EffectRow, signal: AbortSignal) => Promise<void>, parkedMs?: number) {
  const { store } = openStore();
  const acted: string[] = [];
  const parked: string[] = [];
  const alarms: string[] = [];
  const handler: Handler = async (row, signal) => {
    acted.push(`${row.subject}${row.id}`);
    await act(row, signal);
    store.effects.done(row.id);
  };
  const nowMs = () => Date.now();
  const pacing = createPacing({ nowMs, random: () => 0.5 });
  const wallets = createWallets();
  const outbox = createOutbox({
    store,
    handler,
    log: memoryLog().log,
    nowMs,
    pacing,
    wallets,
    together: async (save) => save(),
    onParked: (row, reason) => void parked.push(`${row.subject}${row.id} ${reason}`),
    onAlarm: (row, reason) => void alarms.push(`${row.subject}${row.id} ${reason}`),
    ...(parkedMs === undefined ? {} : { parkedMs }),
  });
  function ask(...subjects: string[]): void {
    outbox.add(subjects.map((subject) => store.effects.insert(subject, cancel, 0)));
  }
  return { store, outbox, acted, parked, alarms, ask, pacing, wallets };
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
  expect({ first, all: acted, size: outbox.size, owed: store.effects.waiting() }).toEqual({
    first: ['a1', 'b3'],
    all: ['a1', 'b3', 'a2', 'a4'],
    size: 0,
    owed: [],
  });
});

test('what only keeps something alive stands in nobody’s way, and nobody in its way', async () => {
  const keep: Effect = { do: 'htlc.resend', coin: { txid: '00'.repeat(32), vout: 0 }, bytes: Uint8Array.of() };
  const act: Effect = { ...keep, do: 'htlc.spend' } as never;
  let refundOpens = false;
  const { outbox, acted, store } = outboxOf(async ({ effect, id }) => {
    if (effect.do === 'htlc.resend' || (id === 3 && !refundOpens)) throw new NotYet(null, 'it waits');
  });
  outbox.add([keep, act, act, act, keep].map((effect) => store.effects.insert('a', effect, 0)));
  outbox.start();
  await vi.advanceTimersByTimeAsync(60_000);
  const [before, waiting] = [acted.slice(0, 5), acted.length];
  const tried = (id: number) => acted.slice(5).filter((one) => one === `a${id}`).length;
  expect([before, tried(1) > 3, tried(5) > 3, tried(3) > 3, tried(4)]).toEqual([
    ['a1', 'a2', 'a3', 'a5', 'a3'],
    true,
    true,
    true,
    0,
  ]);
  refundOpens = true;
  await vi.advanceTimersByTimeAsync(60_000);
  const rest = acted.slice(waiting);
  expect([rest.filter((one) => one === 'a4').length, rest.indexOf('a3') < rest.indexOf('a4'), outbox.size]).toEqual([
    1,
    true,
    1,
  ]);
});

test('what may be repeated is repeated for ever, with pauses that grow to fifteen seconds', async () => {
  const at: number[] = [];
  const { outbox, ask, store } = outboxOf(async () => {
    at.push(Date.now());
    throw anyFailure('away', at.length % 2 === 0 ? 'safe' : 'ask-first', 'nobody answers');
  });
  ask('a');
  outbox.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(at.slice(1, 9).map((time, i) => time - (at[i] ?? 0))).toEqual([
    250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
  ]);
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
  expect([before, acted]).toEqual([
    ['a1', 'a1'],
    ['a1', 'a1', 'a1', 'a2'],
  ]);
});

describe('an effect that cannot be repeated', () => {
  test.each([
    ['was refused for good', anyFailure('refused', 'never', 'the node says no')],
    ['met a bug', new TypeError('the node says no')],
  ])('because it %s is kept for a person, who is told, and the others go on', async (_, cause) => {
    const { outbox, ask, acted, parked, store } = outboxOf(async ({ id }) => {
      if (id === 1) throw cause;
    });
    ask('a', 'a', 'b');
    outbox.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect({
      acted,
      parked,
      kept: store.effects.of('a').map((row) => row.parked),
      waiting: store.effects.waiting(),
    }).toEqual({
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
  const refused = arkadeFailure('operator-refused', 'never', 'the operator is on another network');

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
    expect({ before, tries, parked, owed: store.effects.of('a') }).toEqual({
      before: 1,
      tries: 2,
      parked: [`a1 ${refused.message}`],
      owed: [],
    });
  });

  test('fault 3: while the disk fails is owed as before, and parked once there is room', async () => {
    let tries = 0;
    const { outbox, ask, parked, store } = outboxOf(async () => {
      if (++tries < 4) throw refused;
    }, 60_000);
    const { park } = store.effects;
    store.effects.park = () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(300);
    const before = { tries, parked: [...parked] };
    store.effects.park = park;
    await vi.advanceTimersByTimeAsync(62_000);
    expect({ before, tries, parked, owed: store.effects.of('a') }).toEqual({
      before: { tries: 2, parked: [] },
      tries: 4,
      parked: [`a1 ${refused.message}`],
      owed: [],
    });
  });

  test('fault 3: is tried once more after a rest that ended while the disk failed', async () => {
    let tries = 0;
    const { outbox, ask, store } = outboxOf(async () => {
      if (++tries === 1) throw refused;
    }, 60_000);
    const { revive } = store.effects;
    store.effects.revive = () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(90_000);
    store.effects.revive = revive;
    await vi.advanceTimersByTimeAsync(30_000);
    expect({ tries, owed: store.effects.of('a') }).toEqual({ tries: 2, owed: [] });
  });

  test('and then dropped by a commit stays dropped', async () => {
    const { outbox, ask, acted, store } = outboxOf(async () => {
      throw refused;
    }, 60_000);
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(1_000);
    store.effects.retire('a', 'lightning');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(acted).toEqual(['a1']);
  });
});

describe('a swap that turned', () => {
  test('does not wait for an effect that is tried again and again', async () => {
    const { outbox, ask, acted, store } = outboxOf(async ({ id }) => {
      if (id === 1) throw anyFailure('away', 'safe', 'nobody answers');
    });
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(10_000);
    store.effects.retire('a', 'lightning');
    outbox.drop('a', ['lightning']);
    acted.length = 0;
    ask('a');
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ acted, owed: store.effects.of('a') }).toEqual({ acted: ['a2'], owed: [] });
  });

  test('does not wait for one that is running, which is not repeated when it fails', async () => {
    const { outbox, ask, acted, store, parked } = outboxOf(async ({ id }) => {
      if (id > 1) return;
      await after(5_000);
      throw anyFailure('away', 'safe', 'nobody answered');
    });
    ask('a', 'a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(1_000);
    store.effects.retire('a', 'lightning');
    outbox.drop('a', ['lightning']);
    ask('a');
    await vi.advanceTimersByTimeAsync(10);
    const at = [...acted];
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ at, acted, parked, size: outbox.size }).toEqual({
      at: ['a1', 'a3'],
      acted: ['a1', 'a3'],
      parked: [],
      size: 0,
    });
  });
});

describe('the legs of a swap', () => {
  const refund: Effect = { do: 'vhtlc.submit', purpose: 'refund', txid: '11'.repeat(32) };

  test('wait for one another in nothing: what blocks one is tried for ever, and the other goes on', async () => {
    const { outbox, acted, store } = outboxOf(async ({ leg }) => {
      if (leg === 'lightning') throw anyFailure('away', 'safe', 'nobody answers');
    });
    outbox.add([cancel, refund, cancel, refund].map((effect) => store.effects.insert('a', effect, 0)));
    outbox.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(acted.slice(0, 4)).toEqual(['a1', 'a2', 'a4', 'a1']);
    expect([acted.includes('a3'), store.effects.waiting().map(({ id }) => id)]).toEqual([false, [1, 3]]);
  });

  test('keep what they asked for when the other drops its own', async () => {
    const { outbox, ask, acted, store } = outboxOf(async () => {
      throw new NotYet(1, 'soon');
    });
    outbox.add([cancel, refund].map((effect) => store.effects.insert('a', effect, 0)));
    outbox.start();
    await vi.advanceTimersByTimeAsync(100);
    store.effects.retire('a', 'lightning');
    outbox.drop('a', ['lightning']);
    ask('b');
    await vi.advanceTimersByTimeAsync(5_000);
    expect([acted.filter((one) => one === 'a1').length, acted.filter((one) => one === 'a2').length > 3]).toEqual([
      1,
      true,
    ]);
    expect([store.effects.of('a').map(({ id }) => id), outbox.size]).toEqual([[2], 2]);
  });

  test('are woken together by what is new of their swap', async () => {
    const { outbox, acted, store } = outboxOf(async () => {
      throw new NotYet(30, 'late');
    });
    outbox.add([cancel, refund].map((effect) => store.effects.insert('a', effect, 0)));
    outbox.start();
    await vi.advanceTimersByTimeAsync(2_000);
    outbox.wake('a');
    await vi.advanceTimersByTimeAsync(10);
    expect(acted).toEqual(['a1', 'a2', 'a1', 'a2']);
  });

  test('are in their queues again after a restart, in their order', async () => {
    const before = openStore();
    for (const effect of [cancel, refund, cancel, refund]) before.store.effects.insert('a', effect, 0);
    const queues = (rows: readonly EffectRow[]) => rows.map(({ id, leg }) => [id, leg]);
    const first = queues(before.store.effects.waiting());
    before.db.close();
    const { store } = openStore(before.folder);
    expect([first, queues(store.effects.waiting())]).toEqual(
      Array(2).fill([
        [1, 'lightning'],
        [2, 'arkade'],
        [3, 'lightning'],
        [4, 'arkade'],
      ]),
    );
    store.effects.retire('a', 'arkade');
    expect(queues(store.effects.of('a'))).toEqual([
      [1, 'lightning'],
      [3, 'lightning'],
    ]);
  });

  test('ask for a pause of their own when both broadcast', () => {
    const { pacing } = outboxOf(async () => undefined);
    const broadcast = (leg: 'arkade' | 'bitcoin') => ({ do: 'onchain.broadcast', leg }) as never as Effect;
    expect([pacing.ask('a', broadcast('arkade')).due, pacing.ask('a', broadcast('bitcoin')).due]).toEqual([0, 0]);
    expect(pacing.ask('a', broadcast('bitcoin')).timesAsked).toBe(1);
  });
});

test('stopping aborts what runs, waits for it, starts nothing more and forgets nothing', async () => {
  const { outbox, ask, acted, store } = outboxOf(
    (_, signal) => new Promise((__, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
  );
  ask('a', 'a', 'b');
  outbox.start();
  await vi.advanceTimersByTimeAsync(10);
  await outbox.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect({
    acted,
    owed: store.effects.waiting().length,
    parked: store.effects.of('a').map((row) => row.parked),
  }).toEqual({ acted: ['a1', 'b3'], owed: 3, parked: [null, null] });
});

describe('after a restart', () => {
  test('what waited is tried when it was due, and within five seconds in any case', async () => {
    const { outbox, acted, store } = outboxOf(async () => undefined);
    const [soon, later] = [store.effects.insert('soon', cancel, 0), store.effects.insert('later', cancel, 0)];
    store.effects.postpone(soon.id, Date.now() + 2_000, 1);
    store.effects.postpone(later.id, Date.now() + 3_600_000, 1);
    outbox.add([...store.effects.waiting(), store.effects.insert('now', cancel, 0)]);
    outbox.start();
    const acts: string[][] = [];
    for (const ms of [1_000, 2_000, 1_500, 1_000]) {
      await vi.advanceTimersByTimeAsync(ms);
      acts.push([...acted]);
    }
    expect(acts).toEqual([['now3'], ['now3', 'soon1'], ['now3', 'soon1'], ['now3', 'soon1', 'later2']]);
  });

  test('what only waited goes on with at least half of its tries, for not each of them is written', async () => {
    const { outbox, ask, acted, store } = outboxOf(async () => {
      throw new NotYet(1, 'six blocks');
    });
    const written = vi.spyOn(store.effects, 'postpone');
    ask('a', 'a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(acted.length).toBeGreaterThan(10);
    expect(written.mock.calls.map(([, , attempts]) => attempts)).toEqual(
      [1, 2, 4, 8, 16].slice(0, written.mock.calls.length),
    );
    expect(store.effects.of('a')[0]?.attempts).toBeGreaterThanOrEqual(acted.length / 2 - 1);
  });

  test('what was given up is tried when it would have been, and within five seconds in any case', async () => {
    const { outbox, acted, store } = outboxOf(async () => undefined);
    const row = store.effects.insert('a', cancel, 0);
    store.effects.park(row.id, 'no route', Date.now() + 600_000);
    store.effects.reviveAll();
    outbox.add(store.effects.waiting());
    outbox.start();
    await vi.advanceTimersByTimeAsync(4_500);
    const before = [...acted];
    await vi.advanceTimersByTimeAsync(1_000);
    expect([before, acted]).toEqual([[], ['a1']]);
  });
});

describe('what is asked for again', () => {
  test('rests first, also behind what runs meanwhile, and longer each time', async () => {
    const at: number[] = [];
    const { outbox, store, pacing } = outboxOf(async ({ subject, effect }) => {
      at.push(Date.now());
      // As a commit does whose swap wants the same again.
      const { due, timesAsked: times } = pacing.ask(subject, effect);
      outbox.add([store.effects.insert(subject, effect, due, times)]);
    });
    pacing.ask('a', cancel);
    outbox.add([store.effects.insert('a', cancel, 0)]);
    outbox.start();
    await vi.advanceTimersByTimeAsync(400_000);
    expect(at.slice(1, 12).map((time, i) => time - (at[i] ?? 0))).toEqual([
      250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  test('goes on resting as long as before after a restart', () => {
    const now = 1_000_000;
    const before = createPacing({ nowMs: () => now, random: () => 0.5 });
    const asks = Array.from({ length: 6 }, () => before.ask('a', cancel));
    const after = createPacing({ nowMs: () => now, random: () => 0.5 });
    after.recall({ subject: 'a', effect: cancel, asked: asks[5]?.timesAsked ?? 0 });
    expect([asks.map(({ due }) => due && due - now), after.ask('a', cancel).due - now]).toEqual([
      [0, 250, 500, 1_000, 2_000, 4_000],
      8_000,
    ]);
  });

  test('is no repetition after ten minutes, for another swap, for another act, or once the swap is over', () => {
    let now = 1_000_000;
    const pacing = createPacing({ nowMs: () => now, random: () => 0.5 });
    const claim: Effect = { do: 'vhtlc.submit', purpose: 'claim', txid: 'a' };
    const refund: Effect = { do: 'vhtlc.submit', purpose: 'refund', txid: 'b' };
    const dues = [pacing.ask('a', claim), pacing.ask('a', refund), pacing.ask('b', claim), pacing.ask('a', claim)].map(
      ({ due }) => due && due - now,
    );
    pacing.forget('b');
    const over = pacing.ask('b', claim).due;
    now += 601_000;
    expect([dues, over, pacing.ask('a', claim).due]).toEqual([[0, 0, 0, 250], 0, 0]);
  });

  test('rests up to a quarter longer or shorter, so that what failed together comes back apart', () => {
    const dues = [0, 0.25, 0.999].map((random) => {
      const pacing = createPacing({ nowMs: () => 0, random: () => random });
      return [pacing.afterFailure(20), pacing.spread(1_000)];
    });
    expect(dues).toEqual([
      [11_250, 750],
      [13_125, 875],
      [18_743, 1_250],
    ]);
  });
});

describe('what rests', () => {
  const away = anyFailure('away', 'safe', 'nobody answers');

  test('is tried at once when something new is known, and not more than once a second', async () => {
    const { outbox, ask, acted } = outboxOf(async () => {
      throw away;
    });
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(60_000);
    acted.length = 0;
    const woken = Array.from({ length: 5 }, () => outbox.wake());
    await vi.advanceTimersByTimeAsync(500);
    woken.push(outbox.wake('a'));
    await vi.advanceTimersByTimeAsync(600);
    woken.push(outbox.wake('a'), outbox.wake('b'));
    await vi.advanceTimersByTimeAsync(10);
    expect({ woken, acted }).toEqual({
      woken: [true, false, false, false, false, false, false, false],
      acted: ['a1', 'a1'],
    });
  });

  test.each([
    ['while it is tried', 50],
    ['right after it was tried', 150],
  ])('fault 83: a block that comes %s is not slept through', async (_, ms) => {
    let isThere = false;
    const { outbox, ask, acted } = outboxOf(async () => {
      const wasThere = isThere;
      await after(100);
      if (!wasThere) throw new NotYet(7_200, 'locked');
    });
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(ms);
    isThere = true;
    outbox.wake();
    const before = [...acted];
    await vi.advanceTimersByTimeAsync(1_500);
    expect([before, acted, outbox.size]).toEqual([['a1'], ['a1', 'a1'], 0]);
  });

  test('does not hold up the new effects of a swap that turned, nor is it woken by what was', async () => {
    const { outbox, ask, acted, store } = outboxOf(async ({ id }) => {
      if (id === 1) throw new NotYet(1, 'soon');
      throw new NotYet(30, 'late');
    });
    ask('a');
    outbox.start();
    await vi.advanceTimersByTimeAsync(500);
    store.effects.retire('a', 'lightning');
    outbox.drop('a', ['lightning']);
    ask('a');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(acted).toEqual(['a1', 'a2']);
  });
});

test('what a person should know is said, and the effect is tried again all the same', async () => {
  const { outbox, ask, acted, alarms, parked } = outboxOf(async ({ attempts }) => {
    if (attempts < 2) throw new NotYet(0.02, 'the script is banned', attempts === 0);
  });
  ask('a');
  outbox.start();
  await expect.poll(() => outbox.size).toBe(0);
  await outbox.stop();
  expect({ acted, alarms, parked }).toEqual({
    acted: ['a1', 'a1', 'a1'],
    alarms: ['a1 the script is banned'],
    parked: [],
  });
});

describe('places', () => {
  const lock: Effect = { do: 'vhtlc.lock', script: new Uint8Array(34), amount: sats(1_000), minExpiry: unix(0) };
  const settle: Effect = { do: 'hold.settle', hash };
  const begin: Effect = {
    do: 'hold.create',
    hash,
    amount: sats(1_000),
    description: '',
    expiresAt: unix(0),
    cltvDelta: 40,
  };
  const submitLock: Effect = { do: 'vhtlc.submit', purpose: 'lock', txid: 'a' };
  const submitClaim: Effect = { do: 'vhtlc.submit', purpose: 'claim', txid: 'b' };

  function many(count: number, effect: Effect, store: ReturnType<typeof outboxOf>['store'], name: string): EffectRow[] {
    return Array.from({ length: count }, (_, i) => store.effects.insert(`${name}${i}`, effect, 0));
  }

  test('are not taken by what waits for a wallet: one of sixty locks runs at a time', async () => {
    let locking = 0;
    let most = 0;
    const { outbox, store, acted, wallets } = outboxOf(async ({ effect }) => {
      if (effect.do !== 'vhtlc.lock') return;
      most = Math.max(most, ++locking);
      await wallets.alone('arkade', () => after(100));
      locking -= 1;
    });
    const renewal = wallets.alone('arkade', () => after(10_000));
    outbox.add(many(60, lock, store, 'lock'));
    outbox.add(many(1, settle, store, 'settle'));
    outbox.start();
    await vi.advanceTimersByTimeAsync(9_000);
    const during = [...acted];
    await vi.advanceTimersByTimeAsync(1_050);
    await renewal;
    const then = acted.length;
    await vi.advanceTimersByTimeAsync(6_000);
    expect({ during, then, most, size: outbox.size }).toEqual({ during: ['settle061'], then: 2, most: 1, size: 0 });
  });

  test('of one network are not taken by another that hangs, and some are kept for what ends', async () => {
    const { outbox, store, acted } = outboxOf(() => new Promise(() => undefined));
    outbox.add(many(100, submitLock, store, 'lock'));
    outbox.add(many(100, begin, store, 'invoice'));
    outbox.start();
    await vi.advanceTimersByTimeAsync(10);
    const began = acted.length;
    outbox.add([...many(1, submitClaim, store, 'claim'), ...many(1, settle, store, 'settle')]);
    await vi.advanceTimersByTimeAsync(10);
    expect([began, acted.slice(began)]).toEqual([48, ['claim0201', 'settle0202']]);
  });

  test('go to claims and settlements before anything new, however long that has waited', async () => {
    const { outbox, store, acted } = outboxOf(() => after(1_000));
    outbox.add(many(60, begin, store, 'new'));
    outbox.start();
    await vi.advanceTimersByTimeAsync(10);
    outbox.add(many(20, settle, store, 'settle'));
    await vi.advanceTimersByTimeAsync(10);
    const first = acted.length;
    await vi.advanceTimersByTimeAsync(1_000);
    // 24 that begin and 8 that end; then the other twelve that end, and twelve of the 36 that wait to begin.
    expect([first, acted.slice(first, first + 12).every((name) => name.startsWith('settle')), acted.length]).toEqual([
      32,
      true,
      56,
    ]);
  });

  test('go to claims before what finishes others, and hanging claims do not keep that from its own', async () => {
    const finalize: Effect = { do: 'vhtlc.finalize', purpose: 'claim', txid: 'c' };
    let hangs = false;
    const { outbox, store, acted } = outboxOf(() => (hangs ? new Promise(() => undefined) : after(100)));
    outbox.add([...many(10, finalize, store, 'final'), ...many(60, submitClaim, store, 'claim')]);
    expect(outbox.crowded).toBe(true);
    outbox.start();
    await vi.advanceTimersByTimeAsync(50);
    const first = { finals: acted.filter((name) => name.startsWith('final')).length, all: acted.length };
    await vi.advanceTimersByTimeAsync(1_000);
    const quiet = { crowded: outbox.crowded, all: acted.length };
    hangs = true;
    outbox.add(many(60, submitClaim, store, 'hanging'));
    await vi.advanceTimersByTimeAsync(10);
    outbox.add(many(3, finalize, store, 'last'));
    await vi.advanceTimersByTimeAsync(10);
    expect({ first, quiet, crowded: outbox.crowded, last: acted.slice(-3).map((name) => name.slice(0, 4)) }).toEqual({
      first: { finals: 4, all: 36 },
      quiet: { crowded: false, all: 70 },
      crowded: true,
      last: ['last', 'last', 'last'],
    });
  });
});
