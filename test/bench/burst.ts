import { setTimeout as pause } from 'node:timers/promises';
import { aims } from './aims.ts';
import { connections, processorFrom, untilQuiet, type Bench } from './bench-node.ts';
import { claimsSent, lockedAndHeld } from './evm-claims.ts';
import { bareClient } from './evm-floor.ts';
import { openDepositor, type Depositor } from './evm-swaps.ts';
import { takeLag } from './lag.ts';
import { rounded, withProbedNode, type Setting } from './setting.ts';
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
  const processor = processorFrom(bench);
  const at = await releasePayments(bench.traceUrl, 'all');
  const sent = new Map<string, number>();
  const calls: Record<string, number> = {};
  for (const deadline = Date.now() + patienceMs; sent.size < burst; await pause(200)) {
    const trace = await takeTrace(bench.traceUrl);
    for (const { what, key } of trace) if (what === 'call') calls[key] = (calls[key] ?? 0) + 1;
    for (const [hash, when] of claimsSent(trace)) if (!sent.has(hash)) sent.set(hash, when);
    if (Date.now() > deadline) throw new Error(`only ${sent.size} of ${burst} claims were sent`);
  }
  await untilQuiet(bench);
  const { node, ...beside } = processor();
  const { own, p99, worst } = await takeLag(bench, lagFile);
  const moments = [...sent.values()].map((when) => when - at);
  const lastBroadcast = Math.round(Math.max(...moments));
  const bare = await bareClient(bench, depositor, burst);
  print('B6', {
    direction: 'evm-lightning',
    claims: burst,
    networksAlone: bare.lastBroadcast,
    lastBroadcast,
    toNetworks: rounded(lastBroadcast / bare.lastBroadcast),
    ...quantiles(moments),
    stall: { p99, worst, own },
    processorPerClaim: rounded(node / burst),
    beside,
    rpcCalls: calls,
    floor: bare,
    aim: aims.burst,
  });
}
