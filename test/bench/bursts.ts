import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench-node.ts';
import { fromArkade, fromBitcoin, fromLightning, type Ready } from './ready-claims.ts';
import { takeLag } from './lag.ts';
import { withProbedNode, type Setting } from './setting.ts';
import { quantiles, takeTrace, type Traced } from './trace.ts';

const patienceMs = 400_000;

/** What a burst is made ready by, and what we want of it. */
interface Way {
  readonly direction: string;
  readonly ready: (bench: Bench, count: number) => Promise<Ready>;
  readonly aim: object;
  /** Clients' claims on Arkade show the preimages. */
  readonly byClients?: true;
}

const usual = { lastBroadcast: 1_000, stall: { worst: 20 } };

const ways: readonly Way[] = [
  { direction: 'bitcoin-arkade', ready: fromBitcoin, aim: usual, byClients: true },
  { direction: 'arkade-lightning', ready: fromArkade, aim: usual },
  { direction: 'lightning-arkade', ready: fromLightning, aim: usual, byClients: true },
];

/**
 * B6 of claims on other networks than an EVM chain: so many preimages in one moment, or as fast as clients can send
 * them. Each direction has a node of its own.
 */
export async function bursts(setting: Setting): Promise<void> {
  for (const way of ways)
    await withProbedNode(setting, (bench, lagFile) => claimBurst(bench, lagFile, { ...setting, way }));
}

/** From the moment to the arrival of the last claim, and how late the node's loop was meanwhile. */
async function claimBurst(
  bench: Bench,
  lagFile: string,
  { size: { atOnce }, print, way }: Setting & { readonly way: Way },
): Promise<void> {
  const { claims, enough, release } = await way.ready(bench, atOnce);
  await pause(3_000);
  await takeLag(bench, lagFile);
  await takeTrace(bench.traceUrl);
  const processor = bench.cpuSeconds();
  const at = await release();
  const trace: Traced[] = [];
  for (const deadline = Date.now() + patienceMs; !enough(trace); await pause(200)) {
    trace.push(...(await takeTrace(bench.traceUrl)));
    if (Date.now() > deadline) throw new Error(`${way.direction}: not all of ${atOnce} claims were sent`);
  }
  const { own, p99, worst } = await takeLag(bench, lagFile);
  const used = bench.cpuSeconds() - processor;
  const moments = [...(await claims(trace)).values()].map((when) => when - at);
  print('B6', {
    direction: way.direction,
    claims: moments.length,
    ...revealed(trace, at, way.byClients === true),
    lastBroadcast: Math.round(Math.max(...moments)),
    ...quantiles(moments),
    stall: { p99, worst, own },
    processor: Math.round(used * 1_000),
    aim: way.aim,
  });
}

/** When the operator made the last preimage of a client public, where that is what the claims wait for. */
function revealed(trace: readonly Traced[], since: number, clients: boolean): object {
  if (!clients) return {};
  return {
    lastPreimage: Math.round(Math.max(...trace.filter(({ what }) => what === 'public').map(({ at }) => at - since))),
  };
}
