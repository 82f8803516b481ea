import { connections, type Bench } from './bench-node.ts';
import { createArkadeEvm, createEvmLightning, openDepositor, type Depositor } from './evm-swaps.ts';
import { measureHoldInvoice, type Floors } from './floors.ts';
import { createBitcoinArkade, createEvmBitcoin } from './onchain-swaps.ts';
import { rounded, withNode, type Setting } from './setting.ts';
import { createArkade, createLightning, invoices, pooled, timeOf } from './swaps.ts';
import { quantiles, type Quantiles } from './trace.ts';

/** A direction whose creates are measured: all but one ask nothing of a network. */
interface Way {
  readonly direction: string;
  readonly create: () => Promise<unknown>;
  /** Creates a second that we want of it. */
  readonly aim: number;
  /** What its Lightning node takes within a create. */
  readonly holdInvoice?: Quantiles;
  /** Of the burst, where that would take too long. */
  readonly share?: number;
}

const warmUp = 20;

/** B1 and B2, all directions. */
export async function creates(setting: Setting): Promise<void> {
  await withNode(setting, async (bench) => {
    for (const way of await waysOf(bench, setting)) {
      for (let i = 0; i < warmUp; i++) await way.create();
      await latency(way, setting);
      await throughput(bench, way, setting);
    }
  });
}

async function waysOf(bench: Bench, { size }: Setting): Promise<Way[]> {
  const depositor: Depositor = await openDepositor(bench, 1);
  const given = await invoices(bench, 2 * (size.creates + size.burst + warmUp));
  const invoice = () => {
    const next = given.pop();
    if (next === undefined) throw new Error('too few invoices were made');
    return next;
  };
  return [
    { direction: 'arkade-lightning', create: () => createArkade(bench, invoice()), aim: 600 },
    {
      direction: 'lightning-arkade',
      create: () => createLightning(bench),
      aim: 350,
      holdInvoice: await measureHoldInvoice(bench.endpoints, size.creates),
      share: 0.5,
    },
    { direction: 'arkade-evm', create: () => createArkadeEvm(bench, depositor), aim: 600 },
    { direction: 'evm-lightning', create: () => createEvmLightning(bench, invoice(), depositor), aim: 600 },
    { direction: 'bitcoin-arkade', create: () => createBitcoinArkade(bench), aim: 600 },
    { direction: 'evm-bitcoin', create: () => createEvmBitcoin(bench, depositor), aim: 600 },
  ];
}

function floorOf({ holdInvoice }: Way, { loopback, keyDerivation, fdatasync }: Floors): object {
  const p50 = loopback.p50 + keyDerivation.p50 + fdatasync.p50;
  return holdInvoice === undefined
    ? { p50: rounded(p50), of: 'round trip, one key, one sync' }
    : {
        p50: rounded(p50 + fdatasync.p50 + holdInvoice.p50),
        of: 'round trip, one key, two syncs, and the hold invoice of the Lightning node',
        holdInvoice,
      };
}

async function latency(way: Way, { size, floors, print }: Setting): Promise<void> {
  const samples: number[] = [];
  for (let i = 0; i < size.creates; i++) samples.push(await timeOf(way.create));
  const { direction, holdInvoice } = way;
  const p50 = 2 + (holdInvoice === undefined ? 0 : rounded(holdInvoice.p50));
  print('B1', { direction, ...quantiles(samples), aim: { p50, p99: 15 }, floor: floorOf(way, floors) });
}

async function throughput(
  bench: Bench,
  { direction, create, aim, share = 1 }: Way,
  { size, floors, print }: Setting,
): Promise<void> {
  const count = size.burst * share;
  const before = bench.cpuSeconds();
  const begun = performance.now();
  const samples = await pooled(
    Array.from({ length: count }, (_, i) => i),
    connections,
    create,
  );
  print('B2', {
    direction,
    createsPerSecond: Math.round((count * 1_000) / (performance.now() - begun)),
    connections,
    processorPerCreate: Math.round(((bench.cpuSeconds() - before) * 100_000) / count) / 100,
    latency: quantiles(samples),
    aim: { createsPerSecond: aim },
    floor: {
      createsPerSecond: Math.round(1_000 / (floors.keyDerivation.p50 + floors.fdatasync.p50)),
      of: 'one key and one sync each, one after the other',
    },
  });
}
