import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 20;
const windowMs = 60_000;

export interface Lag {
  /** Seconds. */
  readonly p99: number;
  readonly max: number;
}

/** What is measured is the whole interval between two beats. */
function seconds(ns: number): number {
  return Math.max(0, ns / 1e9 - resolutionMs / 1e3);
}

let watched: { readonly read: () => Lag | null } | null = null;

/**
 * How late the event loop was in the last whole minute, in the first one so far; null before the first beat. Watched
 * from the first question on: a node that nobody asks spends nothing on it.
 */
export function eventLoopLag(): Lag | null {
  watched ??= watch();
  return watched.read();
}

function watch(): { readonly read: () => Lag | null } {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  const now = (): Lag => ({ p99: seconds(histogram.percentile(99)), max: seconds(histogram.max) });
  let last: Lag | null = null;
  histogram.enable();
  setInterval(() => {
    last = now();
    histogram.reset();
  }, windowMs).unref();
  return { read: () => last ?? (histogram.count === 0 ? null : now()) };
}
