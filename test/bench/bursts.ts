import { setTimeout as pause } from 'node:timers/promises';
import { aims } from './aims.ts';
import { bareClaims } from './arkade-floor.ts';
import { processorFrom, untilQuiet, type Bench } from './bench-node.ts';
import { fromArkade, fromBitcoin, fromLightning, type Ready } from './ready-claims.ts';
import { takeLag } from './lag.ts';
import { rounded, withProbedNode, type Setting } from './setting.ts';
import { quantiles, takeTrace, type Traced } from './trace.ts';

const patienceMs = 400_000;

/** What a burst is made ready by, and how long the networks alone take for it. */
interface Way {
  readonly direction: string;
  readonly ready: (bench: Bench, count: number) => Promise<Ready>;
  /** Clients' claims on Arkade show the preimages: until the last of them was there nobody can be done. */
  readonly byClients: boolean;
}

const ways: readonly Way[] = [
  { direction: 'bitcoin-arkade', ready: fromBitcoin, byClients: true },
  { direction: 'arkade-lightning', ready: fromArkade, byClients: false },
  { direction: 'lightning-arkade', ready: fromLightning, byClients: true },
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
  const processor = processorFrom(bench);
  const at = await release();
  const trace: Traced[] = [];
  for (const deadline = Date.now() + patienceMs; !enough(trace); await pause(200)) {
    trace.push(...(await takeTrace(bench.traceUrl)));
    if (Date.now() > deadline) throw new Error(`${way.direction}: not all of ${atOnce} claims were sent`);
  }
  await untilQuiet(bench);
  const { node, ...beside } = processor();
  const { own, p99, worst } = await takeLag(bench, lagFile);
  const moments = [...(await claims(trace)).values()].map((when) => when - at);
  const lastBroadcast = Math.round(Math.max(...moments));
  const bare = way.byClients ? null : await bareClaims(bench, atOnce);
  const networksAlone = bare?.lastBroadcast ?? lastPublic(trace, at);
  print('B6', {
    direction: way.direction,
    claims: moments.length,
    networksAlone,
    lastBroadcast,
    toNetworks: rounded(lastBroadcast / networksAlone),
    ...quantiles(moments),
    stall: { p99, worst, own },
    processorPerClaim: rounded(node / moments.length),
    beside,
    floor: bare,
    aim: aims.burst,
  });
}

/** When the operator made the last preimage of a client public. */
function lastPublic(trace: readonly Traced[], since: number): number {
  return Math.round(Math.max(...trace.filter(({ what }) => what === 'public').map(({ at }) => at - since)));
}
