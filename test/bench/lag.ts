import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench-node.ts';

export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly samples: number;
  /** Processor time of the node between two turns of its loop: what was its own doing. */
  readonly own: { readonly p99: number; readonly worst: number };
}

/** How late the event loop of the node turned since it was asked last; the node runs with `lag-probe.ts`. */
export async function takeLag(bench: Bench, file: string): Promise<Lag> {
  rmSync(file, { force: true });
  bench.node().process.kill('SIGUSR2');
  for (const deadline = Date.now() + 60_000; !existsSync(file); await pause(20))
    if (Date.now() > deadline) throw new Error('the node did not say how late its event loop is');
  return JSON.parse(readFileSync(file, 'utf8')) as Lag;
}
