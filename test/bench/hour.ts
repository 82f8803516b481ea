import { setTimeout as pause } from 'node:timers/promises';
import { inspectable, memoryOf } from '../hostile/support/memory.ts';
import { aims } from './aims.ts';
import type { Bench } from './bench-node.ts';
import { rounded, withNode, type Setting } from './setting.ts';
import { invoices, twoLives } from './swaps.ts';

/** Rows of swaps, one after the other in each. */
const rows = 4;
const betweenMs = 1_000;

/** B12: what the node's memory grows by over an hour of swaps, of samples after garbage was swept, one a minute. */
export async function hour(setting: Setting): Promise<void> {
  const { size, print } = setting;
  await withNode(
    setting,
    async (bench) => {
      await bench.wallet.controls.mineOnDemand();
      let over = false;
      const playing = Promise.all(Array.from({ length: rows }, () => swapsUntil(bench, () => over)));
      const sampling = samples(bench, size.minutes);
      await Promise.race([sampling, playing]);
      const memory = await sampling;
      over = true;
      const lives = (await playing).reduce((sum, one) => sum + one, 0);
      print('B12', {
        what: 'memory, MiB',
        minutes: size.minutes,
        lives,
        resident: growthOf(memory.map(({ resident }) => resident)),
        heap: growthOf(memory.map(({ heap }) => heap)),
        aim: { resident: aims.memory },
      });
    },
    { nodeArgs: [inspectable] },
  );
}

/** How many ended. */
async function swapsUntil(bench: Bench, isOver: () => boolean): Promise<number> {
  let ended = 0;
  while (!isOver()) {
    for (const invoice of await invoices(bench, 1)) await twoLives(bench, invoice);
    ended += 2;
    await pause(betweenMs);
  }
  return ended;
}

async function samples(bench: Bench, minutes: number): Promise<{ heap: number; resident: number }[]> {
  const all: { heap: number; resident: number }[] = [];
  while (all.length < minutes) {
    await pause(60_000);
    all.push(await memoryOf(bench.dataDir, bench.node().log));
  }
  return all;
}

/** Of the first and the last third of the samples. */
function growthOf(each: readonly number[]): object {
  const third = Math.ceil(each.length / 3);
  const mean = (some: readonly number[]) => some.reduce((sum, one) => sum + one, 0) / some.length;
  const [first, last] = [mean(each.slice(0, third)), mean(each.slice(-third))];
  return {
    firstThird: rounded(first),
    lastThird: rounded(last),
    grownMiB: rounded(last - first),
    samples: each.map((one) => Math.round(one * 10) / 10),
  };
}
