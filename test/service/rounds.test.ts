import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inBackground } from '../../engine/runtime/background.ts';
import { createRounds } from '../../engine/service/rounds.ts';
import { memoryLog } from '../runtime/support.ts';

function opened({ everyMs = 1_000_000, fails = false } = {}) {
  const { lines, log } = memoryLog();
  const ends: (() => void)[] = [];
  let begun = 0;
  const rounds = createRounds(
    { background: (name, work) => inBackground(log, name, work) },
    {
      name: 'the work',
      everyMs,
      async round() {
        begun += 1;
        await new Promise<void>((resolve) => ends.push(resolve));
        if (fails) throw new Error('broken');
      },
    },
  );
  const end = (): void => ends.splice(0).forEach((resolve) => resolve());
  return { rounds, end, lines, begun: () => begun };
}

test('whoever asks while a round runs waits for that one, and the next begins another', async () => {
  const { rounds, end, begun } = opened();
  const both = [rounds.check(), rounds.check()];
  rounds.soon();
  await pause(5);
  const together = begun();
  end();
  await Promise.all(both);
  const next = rounds.check();
  end();
  await next;
  expect([together, begun()]).toEqual([1, 2]);
});

test('a round that fails is told of in the log where nobody waits, and the next one comes all the same', async () => {
  const { rounds, end, begun, lines } = opened({ everyMs: 5, fails: true });
  rounds.start();
  for (let i = 0; i < 100 && begun() < 3; i++) {
    await pause(5);
    end();
  }
  const stopped = rounds.stop();
  end();
  await stopped;
  const after = begun();
  await pause(30);
  expect([
    after >= 3,
    begun() - after,
    new Set(lines.map((line) => (JSON.parse(line) as { what: string }).what)),
  ]).toEqual([true, 0, new Set(['the work'])]);
});

test('a stop waits for the round that runs, and is no failure where that is one', async () => {
  const { rounds, end } = opened({ fails: true });
  const waiting = rounds.check().catch((cause: unknown) => String(cause));
  let over = false;
  const stopped = rounds.stop().then(() => (over = true));
  await pause(5);
  const early = over;
  end();
  await stopped;
  expect([early, await waiting]).toEqual([false, 'Error: broken']);
});
