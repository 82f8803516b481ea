import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Leg } from '../../engine/legs/leg.ts';
import { NotYet } from '../../engine/runtime/not-yet.ts';
import { createOutbox } from '../../engine/runtime/outbox.ts';
import { createPacing } from '../../engine/runtime/pacing.ts';
import { queueOf } from '../../engine/runtime/queue.ts';
import { createWallets } from '../../engine/runtime/wallets.ts';
import type { EffectRow } from '../../engine/store/effects.ts';
import type { Effect } from '../../engine/swap/machine.ts';
import { openStore } from '../store/support.ts';
import { bitcoinArkadeCase } from '../swap/bitcoin-arkade-cases.ts';
import { evmBitcoinCase } from '../swap/evm-bitcoin-cases.ts';
import { explore } from '../swap/explore.ts';
import { memoryLog } from './support.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** One of each kind that such swaps ask for, on every network that they have. */
const kinds: readonly Effect[] = [
  ...new Map(
    [...explore(bitcoinArkadeCase).moves, ...explore(evmBitcoinCase).moves]
      .flatMap(({ step }): readonly Effect[] => step.effects)
      .map((effect) => [`${effect.do} ${'leg' in effect ? effect.leg : ''} ${'push' in effect}`, effect]),
  ).values(),
];
const legs: readonly Leg[] = ['arkade', 'bitcoin', 'evm'];

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What came of an outbox to which all that can happen does happen. */
async function lived(random: () => number) {
  const { store } = openStore();
  const under = new Map<string, number[]>();
  const dropped = new Set<number>();
  const orders = new Set<number>();
  const ended: number[] = [];
  const wrong: string[] = [];
  const pick = <V>(of: readonly V[]): V => of[Math.floor(random() * of.length)]!;
  const nowMs = () => Date.now();
  const outbox = createOutbox({
    store,
    log: memoryLog().log,
    nowMs,
    pacing: createPacing({ nowMs, random }),
    wallets: createWallets(),
    together: async (save) => save(),
    onParked: () => undefined,
    onAlarm: () => undefined,
    parkedMs: 20_000,
    handler,
  });

  async function handler(row: EffectRow): Promise<void> {
    const others = under.get(queueOf(row)) ?? [];
    if (dropped.has(row.id)) wrong.push(`${row.id} was dropped, and ran`);
    if (others.some((id) => !dropped.has(id))) wrong.push(`${row.id} ran beside another of its leg`);
    under.set(queueOf(row), [...others, row.id]);
    await new Promise((resolve) => setTimeout(resolve, random() < 0.1 ? 60_000 : random() * 2_000));
    under.set(
      queueOf(row),
      (under.get(queueOf(row)) ?? []).filter((id) => id !== row.id),
    );
    const roll = random();
    if (roll < 0.2) throw new NotYet(null, 'not yet');
    if (roll < 0.25) throw new Error('a bug');
    store.effects.done(row.id);
    ended.push(row.id);
  }

  for (let i = 0; i < 120; i++) {
    const subject = `swap ${Math.floor(random() * 6)}`;
    const roll = random();
    if (i === 20) outbox.start();
    if (roll < 0.6) {
      const row = store.effects.insert(subject, pick(kinds), random() < 0.2 ? nowMs() + 3_000 : 0);
      orders.add(row.id);
      outbox.add([row]);
    } else if (roll < 0.72) {
      const leg = pick(legs);
      for (const row of store.effects.of(subject)) if (row.leg === leg) dropped.add(row.id);
      store.effects.retire(subject, leg);
      outbox.drop(subject, [leg]);
    } else if (roll < 0.8) outbox.wake(random() < 0.5 ? subject : undefined);
    else await vi.advanceTimersByTimeAsync(random() * 1_500);
  }
  for (let minutes = 0; minutes < 300; minutes++) await vi.advanceTimersByTimeAsync(60_000);
  await outbox.stop();
  return {
    wrong,
    lost: [...orders].filter((id) => !dropped.has(id) && !ended.includes(id)),
    twice: ended.filter((id, i) => ended.indexOf(id) !== i),
    size: outbox.size,
  };
}

test.each(Array.from({ length: 20 }, (_, seed) => seed))(
  'whatever is asked for, dropped, woken and given up: nothing is lost, and nothing done twice (%i)',
  async (seed) => {
    expect(await lived(randomOf(seed))).toEqual({ wrong: [], lost: [], twice: [], size: 0 });
  },
);
