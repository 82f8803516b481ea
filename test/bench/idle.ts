import { setTimeout as pause } from 'node:timers/promises';
import { aims } from './aims.ts';
import { nameOf, takeAnswers } from './answers.ts';
import type { Bench } from './bench-node.ts';
import { withRealRhythm } from './real-rhythm.ts';
import { rounded, withNode, type Setting } from './setting.ts';
import { openEvery } from './ways.ts';

/** Seconds between blocks of the Bitcoin chain: ten times as many as there are. Those of EVM chains come every two. */
const blockSeconds = 60;

/** Of what is asked for most often. */
const mostNames = 12;

/**
 * B8: what the node takes while nobody asks it anything, at the rhythm of a real one, while blocks come; with nothing
 * open, and with many swaps of every direction that wait for their clients. One thing a real node does not do: it asks
 * the sandbox for its time every two seconds.
 */
export async function idle(setting: Setting): Promise<void> {
  const built = withRealRhythm(setting.built);
  try {
    for (const open of [0, setting.size.open])
      await withNode({ ...setting, built }, async (bench) => {
        await openEvery(bench, open);
        await bench.wallet.controls.mineEvery(blockSeconds);
        await pause(setting.size.settleMs);
        setting.print('B8', {
          open,
          settled: setting.size.settleMs / 1_000,
          ...(await atRest(bench, setting.size.idleMs)),
          aim: open === 0 ? aims.idle.nothingOpen : aims.idle.manyOpen,
        });
      });
  } finally {
    built.remove();
  }
}

async function atRest(bench: Bench, ms: number): Promise<object> {
  const heightOf = async () => (await bench.wallet.controls.state()).bitcoin.height;
  const height = await heightOf();
  await takeAnswers(bench.traceUrl);
  const [begun, processor, wakeups] = [performance.now(), bench.cpuSeconds(), bench.wakeups()];
  await pause(ms);
  const minutes = (performance.now() - begun) / 60_000;
  const [used, woken] = [bench.cpuSeconds() - processor, bench.wakeups() - wakeups];
  const answers = await takeAnswers(bench.traceUrl);
  return {
    seconds: Math.round(minutes * 60),
    bitcoinBlocks: (await heightOf()) - height,
    processorShare: rounded(used / (minutes * 60)),
    residentMiB: Math.round(bench.residentBytes() / 2 ** 20),
    wakeupsPerMinute: Math.round(woken / minutes),
    requestsPerMinute: perMinute(answers.map(({ network }) => network)),
    ofWhich: perMinute(answers.map(nameOf)),
  };

  function perMinute(names: readonly string[]): Record<string, number> {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const most = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, mostNames);
    return Object.fromEntries(most.map(([name, count]) => [name, Math.round(count / minutes)]));
  }
}
