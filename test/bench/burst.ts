import { setTimeout as pause } from 'node:timers/promises';
import { connections, type Bench } from './bench-node.ts';
import { claimsSent, lockedAndHeld } from './evm-claims.ts';
import { bareClient } from './evm-floor.ts';
import { openDepositor, type Depositor } from './evm-swaps.ts';
import { takeLag } from './lag.ts';
import { withProbedNode, type Setting } from './setting.ts';
import { quantiles, releasePayments, takeTrace } from './trace.ts';

const patienceMs = 120_000;

/** B6: claims of locks on an EVM chain. */
export async function burst(setting: Setting): Promise<void> {
  await withProbedNode(setting, async (bench, lagFile) => {
    const depositor = await openDepositor(bench, setting.size.atOnce);
    await claimBurst(bench, depositor, lagFile, setting);
  });
}

/**
 * So many payments settle in one moment: until the last claim is with the chain's RPC, and how late the node's loop
 * was.
 */
async function claimBurst(
  bench: Bench,
  depositor: Depositor,
  lagFile: string,
  { size: { atOnce: burst }, print }: Setting,
): Promise<void> {
  await lockedAndHeld(bench, depositor, burst, connections);
  await pause(3_000);
  await takeLag(bench, lagFile);
  await takeTrace(bench.traceUrl);
  const processor = bench.cpuSeconds();
  const others = bench.networksCpuSeconds();
  const at = await releasePayments(bench.traceUrl, 'all');
  const sent = new Map<string, number>();
  const calls: Record<string, number> = {};
  for (const deadline = Date.now() + patienceMs; sent.size < burst; await pause(200)) {
    const trace = await takeTrace(bench.traceUrl);
    for (const { what, key } of trace) if (what === 'call') calls[key] = (calls[key] ?? 0) + 1;
    for (const [hash, when] of claimsSent(trace)) if (!sent.has(hash)) sent.set(hash, when);
    if (Date.now() > deadline) throw new Error(`only ${sent.size} of ${burst} claims were sent`);
  }
  const { own, p99, worst } = await takeLag(bench, lagFile);
  const { networks, chains } = bench.networksCpuSeconds();
  const moments = [...sent.values()].map((when) => when - at);
  print('B6', {
    direction: 'evm-lightning',
    claims: burst,
    lastBroadcast: Math.round(Math.max(...moments)),
    ...quantiles(moments),
    stall: { p99, worst, own },
    processor: Math.round((bench.cpuSeconds() - processor) * 1_000),
    beside: {
      networks: Math.round((networks - others.networks) * 1_000),
      chains: Math.round((chains - others.chains) * 1_000),
    },
    rpcCalls: calls,
    floor: await bareClient(bench, depositor, burst),
    aim: { lastBroadcast: 3_000, stall: { worst: 50 } },
  });
}
