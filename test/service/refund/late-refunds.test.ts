import { expect, test } from 'vitest';
import type { SwapStatus } from '../../../engine/domain/status.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';
import { createLateRefunds } from '../../../engine/service/refund/late-refunds.ts';

function opened() {
  let wall = 1_760_000_000;
  const looks: string[] = [];
  const ends: (() => void)[] = [];
  const runtime = {
    clock: { now: () => ({ wall }) },
    background: (_: string, work: () => Promise<void>) => void work(),
    lookLate(id: string) {
      looks.push(id);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  } as unknown as Runtime;
  const wasRead = createLateRefunds({ runtime });
  return {
    looks,
    read: (id: string, status: SwapStatus = 'clientfundedtoolate') => wasRead(id, status),
    async end() {
      for (const resolve of ends.splice(0)) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
    pass: (seconds: number) => void (wall += seconds),
  };
}

test('a swap that ended with a coin of its client is looked at when it is read, once an hour', async () => {
  const { looks, read, end, pass } = opened();
  for (let i = 0; i < 50; i++) read('a');
  await end();
  pass(3_599);
  read('a');
  const early = [...looks];
  pass(2);
  read('a');
  expect([early, looks]).toEqual([['a'], ['a', 'a']]);
});

test('of a swap that owes nobody a refund nothing is looked for', () => {
  const { looks, read } = opened();
  for (const status of ['expired', 'clientrefunded', 'serverredeemed', 'pending'] as const) read(status, status);
  for (const status of ['clientinvalidfunded', 'serverwontfund', 'clientfundedserverrefunded'] as const)
    read(status, status);
  expect(looks).toEqual(['clientinvalidfunded', 'serverwontfund', 'clientfundedserverrefunded']);
});

test('whoever reads a thousand swaps has four of them looked at at once, and the others later', async () => {
  const { looks, read, end } = opened();
  const all = Array.from({ length: 1_000 }, (_, i) => String(i));
  for (const id of all) read(id);
  const first = looks.length;
  await end();
  for (const id of all) read(id);
  expect([first, looks.length, new Set(looks).size]).toEqual([4, 8, 8]);
});

test('fault 109: a wall that was set back by a day keeps no swap from being looked at', async () => {
  const { looks, read, end, pass } = opened();
  read('a');
  await end();
  pass(-86_400);
  read('a');
  expect(looks).toEqual(['a', 'a']);
});
