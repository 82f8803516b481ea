import { directionNames, type DirectionName } from '../../engine/domain/chain.ts';
import { aims, processorAim } from './aims.ts';
import { latencyOf, takeAnswers, type Span } from './answers.ts';
import { connections, processorFrom, type Bench } from './bench-node.ts';
import { measureHoldInvoice } from './floors.ts';
import { rounded, withNode, type Setting } from './setting.ts';
import { pooled, range, timeOf } from './swaps.ts';
import { quantiles, type Quantiles } from './trace.ts';
import { waysOf } from './ways.ts';

/** A direction whose creates are measured. */
interface Way {
  readonly direction: DirectionName;
  readonly create: () => Promise<unknown>;
  /** What its Lightning node takes within a create; null where it makes no invoice. */
  readonly holdInvoice: Quantiles | null;
}

const warmUp = 20;

/** B1 and B2, all directions. */
export async function creates(setting: Setting): Promise<void> {
  const { size } = setting;
  await withNode(setting, async (bench) => {
    const ways = await waysOf(bench, warmUp + size.creates + size.burst);
    const holdInvoice = await measureHoldInvoice(bench.endpoints, size.creates);
    for (const create of Object.values(ways)) for (let i = 0; i < warmUp; i++) await create();
    for (const direction of directionNames) {
      const create = ways[direction];
      const way: Way = { direction, create, holdInvoice: direction.startsWith('lightning-') ? holdInvoice : null };
      await latency(bench, way, setting);
      await throughput(bench, way, setting);
    }
  });
}

function floorOf({ holdInvoice }: Way, { floors: { loopback, keyDerivation, fsync } }: Setting): object {
  const p50 = loopback.p50 + keyDerivation.p50 + fsync.p50;
  return holdInvoice === null
    ? { p50: rounded(p50), of: 'round trip, one key, one sync' }
    : {
        p50: rounded(p50 + fsync.p50 + holdInvoice.p50),
        of: 'round trip, one key, two syncs, and the hold invoice of the Lightning node',
        holdInvoice,
      };
}

async function latency(bench: Bench, way: Way, setting: Setting): Promise<void> {
  const { size, print } = setting;
  const spans: Span[] = [];
  await takeAnswers(bench.traceUrl);
  for (let i = 0; i < size.creates; i++) {
    const from = performance.timeOrigin + performance.now();
    const length = await timeOf(way.create);
    spans.push({ from, to: from + length });
  }
  print('B1', {
    direction: way.direction,
    ...latencyOf(spans, await takeAnswers(bench.traceUrl)),
    aim: aims.create,
    floor: floorOf(way, setting),
  });
}

async function throughput(
  bench: Bench,
  { direction, create }: Way,
  { size: { burst }, floors, print }: Setting,
): Promise<void> {
  const processor = processorFrom(bench);
  const each = (ms: number) => Math.round((ms * 100) / burst) / 100;
  const begun = performance.now();
  const samples = await pooled(range(burst), connections, create);
  const { node, networks, chains } = processor();
  print('B2', {
    direction,
    createsPerSecond: Math.round((burst * 1_000) / (performance.now() - begun)),
    connections,
    processorPerCreate: each(node),
    beside: { networks: each(networks), chains: each(chains) },
    latency: quantiles(samples),
    aim: processorAim(direction),
    floor: {
      createsPerSecond: Math.round(1_000 / (floors.keyDerivation.p50 + floors.fsync.p50)),
      of: 'one key and one sync each, one after the other',
    },
  });
}
