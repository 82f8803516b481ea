import { join } from 'node:path';
import type { Built } from '../crash/support/program.ts';
import { openBench, type Bench, type BenchOptions } from './bench-node.ts';
import type { Floors } from './floors.ts';

export interface Size {
  /** Creates one after the other, and at once. */
  readonly creates: number;
  readonly burst: number;
  /** Claims of each direction one after the other, and at once. */
  readonly claims: number;
  readonly atOnce: number;
  /** Of each direction. */
  readonly kills: number;
  readonly starts: number;
  /** Swaps of each direction, as client and as provider. */
  readonly ends: number;
  /** Swaps that are open, and that are over. */
  readonly open: number;
  readonly finished: number;
  /** Until a node at rest is looked at, and for how long. */
  readonly settleMs: number;
  readonly idleMs: number;
  /** Of an hour of swaps. */
  readonly minutes: number;
  readonly pressureMs: number;
  /** Claims of each trace of fees. */
  readonly fees: number;
}

const usual = { open: 1_000, atOnce: 500 } as const;
export const quick: Size = {
  ...usual,
  creates: 120,
  burst: 300,
  claims: 10,
  kills: 10,
  starts: 4,
  ends: 2,
  finished: 20_000,
  settleMs: 10_000,
  idleMs: 20_000,
  minutes: 3,
  pressureMs: 8_000,
  fees: 100,
};
export const full: Size = {
  ...usual,
  creates: 500,
  burst: 1_500,
  claims: 100,
  kills: 100,
  starts: 10,
  ends: 10,
  finished: 100_000,
  settleMs: 60_000,
  idleMs: 60_000,
  minutes: 60,
  pressureMs: 20_000,
  fees: 1_000,
};

/** What every part is given. */
export interface Setting {
  readonly built: Built;
  /** On the disk of the project: a temporary folder may be memory, where a sync costs nothing. */
  readonly folder: string;
  readonly size: Size;
  readonly floors: Floors;
  readonly print: (bench: string, facts: object) => void;
}

export function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** A node with a data folder of its own for as long as it is measured. */
export async function withNode(
  { built, folder }: Pick<Setting, 'built' | 'folder'>,
  measure: (bench: Bench) => Promise<void>,
  options: BenchOptions = {},
): Promise<void> {
  const bench = await openBench(built, folder, options);
  try {
    await measure(bench);
  } finally {
    await bench.stop();
  }
}

/** The same, and it notes how late its event loop turns in the file that `measure` is told. */
export async function withProbedNode(
  setting: Pick<Setting, 'built' | 'folder'>,
  measure: (bench: Bench, lagFile: string) => Promise<void>,
  options: BenchOptions = {},
): Promise<void> {
  const lagFile = join(setting.folder, 'lag.json');
  process.env['LAG_FILE'] = lagFile;
  const nodeArgs = ['--import', new URL('lag-probe.ts', import.meta.url).href];
  await withNode(setting, (bench) => measure(bench, lagFile), { ...options, nodeArgs });
}
