import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../main/node-flags.ts';
import type { SandboxEndpoints } from '../../engine/sandbox/endpoints.ts';
import { readEndpoints } from '../support/sandbox-endpoints.ts';
import { startProgram, tokenIn, type Built, type Program } from '../crash/support/program.ts';
import { openWallet, type Wallet } from '../crash/support/wallet.ts';
import { httpClient, type HttpClient } from './http-client.ts';

/** A built node on a data folder of its own, its networks in another process, and a client of both. */
export interface Bench {
  readonly dataDir: string;
  readonly endpoints: SandboxEndpoints;
  readonly wallet: Wallet;
  readonly traceUrl: string;
  /** Of the node that runs now. */
  node(): Program;
  http(): HttpClient;
  /** Seconds of processor time that the node has used. */
  cpuSeconds(): number;
  /** The same of the networks' own process, and of the chains that it started. */
  networksCpuSeconds(): { readonly networks: number; readonly chains: number };
  residentBytes(): number;
  /** How often its main thread gave up the processor to wait, since it started. */
  wakeups(): number;
  startNode(): Promise<Program>;
  stopNode(): Promise<void>;
  stop(): Promise<void>;
}

/** Of a client that asks as much as it can. */
export const connections = 16;

/** As limits are for everybody: one client, whatever it asks for, has its allowance and no more. */
export const ordinary = {};

/** One client sends what many would: its allowance is as large as it needs. */
const boundless = { burst: 1_000_000, perSecond: 1_000_000, openCreatesPerClient: 1_000_000 };

/** And what its swaps may cost that it never funds. */
const ceilings = { unpaidGasPerDaySats: 1_000_000_000 };

export interface BenchOptions {
  readonly flood?: object;
  readonly nodeArgs?: readonly string[];
}

export async function openBench(
  built: Built,
  parent: string,
  { flood = boundless, nodeArgs = [] }: BenchOptions = {},
): Promise<Bench> {
  const dataDir = mkdtempSync(join(parent, 'bench-'));
  const config = `${dataDir}.json`;
  writeFileSync(config, JSON.stringify({ flood, ceilings }));
  const networks = await startProgram(fileURLToPath(new URL('program.ts', import.meta.url)), [dataDir]);
  const endpoints = readEndpoints(dataDir);
  if (networks === null || endpoints === null) throw new Error('the networks of the benchmark did not start');
  let node: Program | null = null;
  let http: HttpClient | null = null;

  async function startNode(): Promise<Program> {
    node = await startProgram(
      built.headless,
      ['--sandbox', '--data-dir', dataDir, '--port', '0', '--config', config],
      undefined,
      [...nodeFlags, ...nodeArgs, ...(process.env['BENCH_NODE_ARGS']?.split(' ') ?? [])],
    );
    if (node === null) throw new Error('the node did not start');
    http = httpClient(node.ready.url, connections, tokenIn(dataDir));
    return node;
  }

  async function stopNode(): Promise<void> {
    http?.close();
    await node?.stop();
    node = null;
  }

  /** A number of /proc/<pid>/status. */
  function statusOf(name: string): number {
    const text = readFileSync(`/proc/${present(node).process.pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]);
  }

  await startNode();
  const wallet = await openWallet(endpoints, randomBytes(64));
  return {
    dataDir,
    endpoints,
    wallet,
    traceUrl: networks.ready.url,
    node: () => present(node),
    http: () => present(http),
    cpuSeconds: () => cpuOf(Number(present(node).process.pid)),
    networksCpuSeconds() {
      const pid = Number(networks.process.pid);
      return { networks: cpuOf(pid), chains: below(pid).reduce((sum, child) => sum + cpuOf(child), 0) };
    },
    residentBytes: () => statusOf('VmRSS') * 1_024,
    wakeups: () => statusOf('voluntary_ctxt_switches'),
    startNode,
    stopNode,
    async stop() {
      await stopNode();
      await networks.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Milliseconds of processor that somebody used since a moment. */
export interface Used {
  readonly networks: number;
  readonly chains: number;
}

/** From now on; tells it when it is called. */
export function networksFrom(bench: Bench): () => Used {
  const then = bench.networksCpuSeconds();
  return () => {
    const now = bench.networksCpuSeconds();
    return { networks: milliseconds(now.networks - then.networks), chains: milliseconds(now.chains - then.chains) };
  };
}

/** The same with that of the node. */
export function processorFrom(bench: Bench): () => Used & { readonly node: number } {
  const [then, others] = [bench.cpuSeconds(), networksFrom(bench)];
  return () => ({ node: milliseconds(bench.cpuSeconds() - then), ...others() });
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1_000);
}

/** Of a core: less is looks that would come anyway. */
const restShare = 0.3;

/** Until what follows a burst is done as well. */
export async function untilQuiet(bench: Bench): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; bench.cpuSeconds() - before > restShare; await pause(1_000))
    before = bench.cpuSeconds();
}

/** What a process started, and what that started. */
function below(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => [child, ...below(child)]);
}

/** Seconds of processor time of a process, by hundredths. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('the node does not run');
  return value;
}
