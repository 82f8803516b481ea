import { setTimeout as pause } from 'node:timers/promises';
import { connections, type Bench } from './bench-node.ts';
import { growHistory } from './history.ts';
import { idle } from './idle.ts';
import { preimages } from './preimages.ts';
import { withNode, type Setting } from './setting.ts';
import { createArkade, createLightning, invoices, pooled } from './swaps.ts';
import { takeTrace } from './trace.ts';

/** B3 with one swap open and with many, and B4: a start with many open and many more that are over. */
export async function manyOpen(setting: Setting): Promise<void> {
  const { size, print } = setting;
  await withNode(setting, async (bench) => {
    await preimages(bench, 1, setting);
    const nothingOpen = await idle(bench, size.idleMs);
    const given = await invoices(bench, size.open / 2);
    await pooled(given, connections, (invoice) => createArkade(bench, invoice));
    await pooled(given, connections, () => createLightning(bench));
    await pause(2_000);
    await preimages(bench, size.open, setting);
    await bench.stopNode();
    const few = await coldStart(bench, size.open);
    const withoutHistory = await idle(bench, size.idleMs);
    await bench.stopNode();
    growHistory(bench.dataDir, size.finished);
    const many = await coldStart(bench, size.open);
    const withHistory = await idle(bench, size.idleMs);
    const aim = { everySwapLookedAt: 3_000 };
    print('B4', { open: size.open, finished: 0, ...few, aim });
    print('B4', { open: size.open, finished: size.finished, ...many, aim });
    print('idle', {
      processorShare: { nothingOpen, openWithoutHistory: withoutHistory, openWithHistory: withHistory },
      open: size.open,
      finished: size.finished,
      aim: { processorShare: 0.02 },
    });
  });
}

/** From the start of the process to its ready line, and to the moment at which each open swap was looked at. */
async function coldStart(bench: Bench, open: number): Promise<{ ready: number; everySwapLookedAt: number }> {
  await takeTrace(bench.traceUrl);
  const begun = performance.timeOrigin + performance.now();
  const node = await bench.startNode();
  const looked = new Map<string, number>();
  for (const deadline = Date.now() + 60_000; looked.size < open; await pause(100)) {
    for (const { what, key, at } of await takeTrace(bench.traceUrl))
      if (what === 'look' && !looked.has(key)) looked.set(key, at);
    if (Date.now() > deadline) throw new Error(`only ${looked.size} of ${open} open swaps were looked at`);
  }
  const moments = [...looked.values()].toSorted((a, b) => a - b);
  return {
    ready: Math.round(node.readyAfter),
    everySwapLookedAt: Math.round((moments[open - 1] ?? Number.NaN) - begun),
  };
}
