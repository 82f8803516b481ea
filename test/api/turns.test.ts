import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from '../../engine/api/turns.ts';
import { longestTurn } from '../support/turns.ts';

function burn(ms: number): void {
  const { user, system } = process.cpuUsage();
  for (;;) {
    const now = process.cpuUsage({ user, system });
    if (now.user + now.system >= ms * 1_000) return;
  }
}

/** A request: some steps of its own before and after what takes time. */
async function work(take: () => Promise<void> | undefined, done: number[], n: number): Promise<void> {
  await take();
  await Promise.resolve();
  await Promise.resolve();
  burn(4);
  await Promise.resolve();
  done.push(n);
}

it('fault 51: what arrives at once is worked off over many turns of the event loop, in its order', async () => {
  const take = createTurns();
  const done: number[] = [];
  const longest = await longestTurn(() => Promise.all(Array.from({ length: 60 }, (_, n) => work(take, done, n))));
  expect(longest).toBeLessThan(40);
  expect(done).toEqual(Array.from({ length: 60 }, (_, n) => n));
});

it('nobody waits who comes alone', async () => {
  const take = createTurns();
  const turns = [];
  for (let i = 0; i < 5; i++) {
    turns.push(take());
    await nextTurn();
  }
  expect(turns).toEqual(Array.from({ length: 5 }, () => undefined));
});
