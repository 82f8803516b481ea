import { setTimeout as pause } from 'node:timers/promises';
import { aims } from './aims.ts';
import { connections, type Bench } from './bench-node.ts';
import { growHistory } from './history.ts';
import { withNode, type Setting } from './setting.ts';
import { createArkade, createLightning, invoices, pooled, twoLives } from './swaps.ts';
import { takeTrace } from './trace.ts';

/**
 * B4: a start with many open and many more that are over. Half of the open ones wait for a payment over Lightning, half
 * for a coin on Arkade: looks at both are told each by itself.
 */
export async function manyOpen(setting: Setting): Promise<void> {
  const { size, print } = setting;
  await withNode(setting, async (bench) => {
    for (const invoice of await invoices(bench, 1)) await twoLives(bench, invoice);
    const given = await invoices(bench, size.open / 2);
    await pooled(given, connections, (invoice) => createArkade(bench, invoice));
    await pooled(given, connections, () => createLightning(bench));
    await pause(2_000);
    for (const finished of [0, size.finished]) {
      await bench.stopNode();
      if (finished > 0) growHistory(bench.dataDir, finished);
      print('B4', { open: size.open, finished, ...(await coldStart(bench, size.open)), aim: aims.start });
    }
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
