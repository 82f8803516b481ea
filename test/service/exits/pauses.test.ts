import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { createExitPauses, createMakingWay } from '../../../engine/service/exits/pauses.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const pointOf = (n: number): Outpoint => ({ txid: n.toString(16).padStart(64, '0'), vout: 0 });
const root = pointOf(99);

/** Seconds at which a coin is read, in two minutes of looks that are five seconds apart and find no root of it. */
function reads(isUrgent: boolean): number[] {
  const pauses = createExitPauses();
  const moments: number[] = [];
  for (let second = 0; second <= 120; second += 5) {
    if (pauses.isDue(pointOf(1))) {
      moments.push(second);
      pauses.untilShown(pointOf(1), { root, tip: 'one', isUrgent });
    }
    vi.advanceTimersByTime(5_000);
  }
  return moments;
}

test('between two blocks a coin is read less often, unless its swap is open or its batch expires soon', () => {
  expect([reads(false), reads(true)]).toEqual([
    [0, 5, 65],
    [0, 5, 10, 15, 20, 30, 50, 85],
  ]);
});

test('a new tip has each root asked for once, whatever hangs on it, and again where nobody answered', async () => {
  const pauses = createExitPauses();
  const coins = [1, 2, 3].map(pointOf);
  for (const isSecond of [false, true])
    for (const coin of coins) {
      expect(pauses.isDue(coin)).toBe(true);
      pauses.untilShown(coin, { root: isSecond ? root : pointOf(98), tip: 'one', isUrgent: false });
    }
  const questions: string[] = [];
  const ask = (answer: () => Promise<boolean>) => (txid: string) => {
    questions.push(txid);
    return answer();
  };
  await pauses.onTip(
    'one',
    ask(async () => true),
  );
  await pauses.onTip(
    'two',
    ask(() => Promise.reject(new Error('away'))),
  );
  await pauses.onTip(
    'two',
    ask(async () => false),
  );
  await pauses.onTip(
    'two',
    ask(async () => true),
  );
  const before = coins.map(pauses.isDue);
  await pauses.onTip(
    'three',
    ask(async () => true),
  );
  expect({ questions, before, after: coins.map(pauses.isDue) }).toEqual({
    questions: [root.txid, root.txid, root.txid],
    before: [false, false, false],
    after: [true, true, true],
  });
});

test('looks make way for claims while these wait, but for one in a minute, and none when they are through', () => {
  let isCrowded = false;
  const makesWay = createMakingWay(() => isCrowded);
  const looks: boolean[] = [];
  for (let second = 0; second < 150; second += 5) {
    isCrowded = second >= 10 && second < 140;
    looks.push(makesWay());
    vi.advanceTimersByTime(5_000);
  }
  const whole = looks.flatMap((does, i) => (does ? [] : [5 * i]));
  expect(whole).toEqual([0, 5, 70, 130, 140, 145]);
});
