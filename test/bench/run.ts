// npm run bench [-- --quick]: the built node over HTTP, its store on disk, its networks in another process. Prints one
// JSON line for each measure beside the floors of this machine in this run; all times in milliseconds.
// `--before DIR` measures an earlier checkout first, installed as it wants, and prints its figures beside ours.
// `--only creates` takes B1 and B2 alone, `--only open` B3 and B4, `--only followers` B7 and B8, `--only outage` B9,
// `--only fees` B10, `--only pressure` B11, `--only evm` the directions with EVM chains: the node's own adapter over HTTP to the sandbox's proxy
// of an anvil. BENCH_NODE_ARGS goes to the node under test, for
// instance "--cpu-prof --cpu-prof-dir=.cache/profiles".
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtPrograms } from '../crash/support/program.ts';
import { figuresOf, measureBefore, type Line } from './before.ts';
import { openBench, ordinary, type Bench } from './bench-node.ts';
import { feeTraces } from './fees.ts';
import { statusToFollowers } from './followers.ts';
import { measureFloors, measureHoldInvoice, type Floors } from './floors.ts';
import { growHistory } from './history.ts';
import { idle, idleWithTwentyOpen } from './idle.ts';
import { outage } from './outage.ts';
import { underPressure } from './pressure.ts';
import { createArkade, createLightning, invoices, pooled, reached, timeOf } from './swaps.ts';
import { evmClaims } from './evm-claims.ts';
import { evmCreates } from './evm-creates.ts';
import { quantiles, takeTrace } from './trace.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' }, before: { type: 'string' } },
});
const size = values.quick
  ? {
      creates: 120,
      burst: 600,
      claims: 20,
      open: 1_000,
      finished: 20_000,
      idleMs: 5_000,
      pressureMs: 8_000,
      evm: 500,
      fees: 100,
    }
  : {
      creates: 500,
      burst: 3_000,
      claims: 100,
      open: 1_000,
      finished: 100_000,
      idleMs: 12_000,
      pressureMs: 20_000,
      evm: 500,
      fees: 1_000,
    };
const atOnce = 16;

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

const before = values.before === undefined ? null : await measureBefore(values.before, values);

function print(bench: string, facts: object): void {
  const line: Line = { bench, ...facts };
  const then = before?.(line) ?? null;
  console.log(JSON.stringify(then === null ? line : { ...line, before: figuresOf(then) }));
}

const cache = fileURLToPath(new URL('../../.cache', import.meta.url));
mkdirSync(cache, { recursive: true });
// On the disk of the project: a temporary folder may be memory, where a sync costs nothing.
const folder = mkdtempSync(join(cache, 'bench-'));
const built = await builtPrograms();
try {
  const floors = await measureFloors(folder, values.quick ? 200 : 1_000);
  print('floors', floors);
  const runs = (part: string): boolean => values.only === undefined || values.only === part;
  if (runs('creates')) await creates(floors);
  if (runs('open')) await manyOpen(floors);
  if (runs('fees')) await feeTraces({ claims: size.fees }, (facts) => print('B10', facts));
  if (runs('followers')) await followed(floors);
  if (runs('outage')) print('B9', await outage(() => openBench(built, folder)));
  if (runs('pressure')) await pressure();
  if (runs('evm')) await evm(floors);
} finally {
  built.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function creates(floors: Floors): Promise<void> {
  const bench = await openBench(built, folder);
  try {
    const holdInvoice = await measureHoldInvoice(bench.endpoints, size.creates);
    const given = await invoices(bench, size.creates + size.burst + 40);
    for (let i = 0; i < 20; i++) await Promise.all([createLightning(bench), createArkade(bench, given.pop()!)]);
    const lightning: number[] = [];
    for (let i = 0; i < size.creates; i++) lightning.push(await timeOf(() => createLightning(bench)));
    const arkade: number[] = [];
    for (let i = 0; i < size.creates; i++) arkade.push(await timeOf(() => createArkade(bench, given.pop()!)));
    const floor = rounded(floors.loopback.p50 + floors.keyDerivation.p50 + floors.fdatasync.p50);
    print('B1', {
      direction: 'arkade-lightning',
      ...quantiles(arkade),
      aim: { p50: 2 },
      floor: { p50: floor, of: 'round trip, one key, one sync' },
    });
    print('B1', {
      direction: 'lightning-arkade',
      ...quantiles(lightning),
      aim: { p50: 2 },
      floor: {
        p50: rounded(floor + floors.fdatasync.p50 + holdInvoice.p50),
        of: 'round trip, one key, two syncs, and the hold invoice of the Lightning node',
        holdInvoice,
      },
    });
    await burst(
      bench,
      'arkade-lightning',
      given.splice(0, size.burst),
      (invoice) => createArkade(bench, invoice),
      600,
      floors,
    );
    await burst(
      bench,
      'lightning-arkade',
      Array.from({ length: size.burst / 2 }, (_, i) => i),
      () => createLightning(bench),
      350,
      floors,
    );
  } finally {
    await bench.stop();
  }
}

async function burst<T>(
  bench: Bench,
  direction: string,
  items: readonly T[],
  create: (item: T) => Promise<unknown>,
  count: number,
  floors: Floors,
): Promise<void> {
  const before = bench.cpuSeconds();
  const begun = performance.now();
  const samples = await pooled(items, atOnce, create);
  const perSecond = Math.round((items.length * 1_000) / (performance.now() - begun));
  const most = Math.round(1_000 / (floors.keyDerivation.p50 + floors.fdatasync.p50));
  print('B2', {
    direction,
    createsPerSecond: perSecond,
    connections: atOnce,
    processorPerCreate: Math.round(((bench.cpuSeconds() - before) * 100_000) / items.length) / 100,
    latency: quantiles(samples),
    aim: { createsPerSecond: count },
    floor: { createsPerSecond: most, of: 'one key and one sync each, one after the other' },
  });
}

/** Many follow one swap; and what the node takes while twenty are open and nothing happens. */
async function followed(floors: Floors): Promise<void> {
  const bench = await openBench(built, folder);
  try {
    print('B7', {
      ...(await statusToFollowers(bench, { followers: 500, swaps: Math.ceil(size.claims / 5) })),
      aim: { p99: 50 },
      floor: { p50: rounded(floors.fdatasync.p50 + floors.loopback.p50), of: 'one sync and one round trip' },
    });
    print('B8', {
      ...(await idleWithTwentyOpen(bench, size.idleMs)),
      aim: { processorShare: 0.015, residentMiB: 220, callsPerMinute: 40 },
    });
  } finally {
    await bench.stop();
  }
}

/** One client spends its whole allowance on the dearest calls there are. */
async function pressure(): Promise<void> {
  const lagFile = join(folder, 'lag.json');
  process.env['LAG_FILE'] = lagFile;
  const bench = await openBench(built, folder, {
    flood: ordinary,
    nodeArgs: ['--import', new URL('lag-probe.ts', import.meta.url).href],
  });
  try {
    print('B11', {
      ...(await underPressure(bench, lagFile, size.pressureMs)),
      aim: { lag: { p99: 50 }, ownerRead: { p99: 100 } },
    });
  } finally {
    await bench.stop();
  }
}

/** The directions with an EVM chain. */
async function evm(floors: Floors): Promise<void> {
  const lagFile = join(folder, 'lag-evm.json');
  process.env['LAG_FILE'] = lagFile;
  const bench = await openBench(built, folder, {
    nodeArgs: ['--import', new URL('lag-probe.ts', import.meta.url).href],
  });
  try {
    await evmCreates(bench, { size, floors, atOnce, print });
    await evmClaims(bench, { claims: size.claims, burst: size.evm, atOnce, lagFile, print });
  } finally {
    await bench.stop();
  }
}

async function manyOpen(floors: Floors): Promise<void> {
  const bench = await openBench(built, folder);
  try {
    await preimages(bench, 1, floors);
    const nothingOpen = await idle(bench, size.idleMs);
    const given = await invoices(bench, size.open / 2);
    await pooled(given, atOnce, (invoice) => createArkade(bench, invoice));
    await pooled(given, atOnce, () => createLightning(bench));
    await pause(2_000);
    await preimages(bench, size.open, floors);
    await bench.stopNode();
    const few = await coldStart(bench);
    const withoutHistory = await idle(bench, size.idleMs);
    await bench.stopNode();
    growHistory(bench.dataDir, size.finished);
    const many = await coldStart(bench);
    const withHistory = await idle(bench, size.idleMs);
    print('B4', { open: size.open, finished: 0, ...few });
    print('B4', { open: size.open, finished: size.finished, ...many, aim: { everySwapLookedAt: 3_000 } });
    print('idle', {
      processorShare: { nothingOpen, openWithoutHistory: withoutHistory, openWithHistory: withHistory },
      open: size.open,
      finished: size.finished,
      aim: { processorShare: 0.02 },
    });
  } finally {
    await bench.stop();
  }
}

/** From the moment at which a preimage is public to the arrival of the node's own settlement or claim. */
async function preimages(bench: Bench, open: number, floors: Floors): Promise<void> {
  await takeTrace(bench.traceUrl);
  const secrets = new Map<string, string>();
  for (let i = 0; i < size.claims; i++) {
    const { record, secret, hash } = await createLightning(bench);
    await bench.wallet.controls.lightningPay(record.bolt11_invoice);
    await reached(bench, record.id, 'serverfunded');
    await bench.wallet.claim(record, secret);
    secrets.set(hash, String((await reached(bench, record.id, 'serverredeemed'))['arkade_claim_txid']));
  }
  const claims = new Map<string, string>();
  for (const invoice of await invoices(bench, size.claims)) {
    const record = await createArkade(bench, invoice);
    await bench.wallet.controls.arkadeFaucet({
      address: record.arkade_vhtlc_address,
      amount: Number(record.source_amount),
    });
    claims.set(invoice.payment_hash, String((await reached(bench, record.id, 'serverredeemed'))['arkade_claim_txid']));
  }
  const trace = await takeTrace(bench.traceUrl);
  const first = (what: string, key: string) =>
    trace.find((one) => one.what === what && one.key === key)?.at ?? Number.NaN;
  const settled = [...secrets].map(([hash, txid]) => first('settle', hash) - first('public', txid));
  const claimed = [...claims].map(([hash, txid]) => first('submit', txid) - first('paid', hash));
  const aim = { p99: 20 };
  const floor = { p50: rounded(floors.fdatasync.p50 + floors.loopback.p50), of: 'one sync and one round trip' };
  print('B3', { direction: 'lightning-arkade', open, ...quantiles(settled), aim, floor });
  print('B3', {
    direction: 'arkade-lightning',
    open,
    ...quantiles(claimed),
    aim,
    floor: {
      p50: rounded(floor.p50 + floors.fdatasync.p50 + 2 * floors.schnorrSign.p50 + floors.loopback.p50),
      of: 'two syncs, two signatures and two round trips',
    },
  });
}

/** From the start of the process to its ready line, and to the moment at which each open swap was looked at. */
async function coldStart(bench: Bench): Promise<{ ready: number; everySwapLookedAt: number }> {
  await takeTrace(bench.traceUrl);
  const begun = performance.timeOrigin + performance.now();
  const node = await bench.startNode();
  const looked = new Map<string, number>();
  for (const deadline = Date.now() + 60_000; looked.size < size.open; await pause(100)) {
    for (const { what, key, at } of await takeTrace(bench.traceUrl))
      if (what === 'look' && !looked.has(key)) looked.set(key, at);
    if (Date.now() > deadline) throw new Error(`only ${looked.size} of ${size.open} open swaps were looked at`);
  }
  const moments = [...looked.values()].toSorted((a, b) => a - b);
  return {
    ready: Math.round(node.readyAfter),
    everySwapLookedAt: Math.round((moments[size.open - 1] ?? Number.NaN) - begun),
  };
}
