import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench-node.ts';
import { createArkade, invoices } from './swaps.ts';
import { takeTrace } from './trace.ts';

/** Share of one processor that the node uses when nobody asks it anything. */
export async function idle(bench: Bench, ms: number): Promise<number> {
  await pause(1_000);
  const before = bench.cpuSeconds();
  const begun = performance.now();
  await pause(ms);
  return Math.round(((bench.cpuSeconds() - before) * 100_000) / (performance.now() - begun)) / 100;
}

/**
 * B8: what the node takes while twenty swaps wait for their clients. The sandbox mines and is asked in a quick rhythm,
 * of seconds where a real node takes minutes: its looks at invoices and scripts, and its calls of the EVM chains, are
 * told each by itself.
 */
export async function idleWithTwentyOpen(bench: Bench, ms: number): Promise<object> {
  for (const invoice of await invoices(bench, 20)) await createArkade(bench, invoice);
  await pause(2_000);
  await takeTrace(bench.traceUrl);
  const [begun, wakeups] = [performance.now(), bench.wakeups()];
  const processorShare = await idle(bench, ms);
  const minutes = (performance.now() - begun) / 60_000;
  const calls: Record<string, number> = {};
  for (const { what } of await takeTrace(bench.traceUrl)) calls[what] = (calls[what] ?? 0) + 1;
  return {
    open: 20,
    processorShare,
    residentMiB: Math.round(bench.residentBytes() / 2 ** 20),
    wakeupsPerMinute: Math.round((bench.wakeups() - wakeups) / minutes),
    callsPerMinute: Object.fromEntries(
      Object.entries(calls).map(([what, count]) => [what, Math.round(count / minutes)]),
    ),
  };
}
