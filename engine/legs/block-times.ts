import { seconds, type Seconds } from '../domain/time.ts';
import type { TimeoutPolicy } from './timeout-policy.ts';

/*
 * How long a number of blocks takes, where a lock that ends at a height is compared with one that ends at a time.
 * Blocks come by chance: so many intervals together are Erlang distributed, and the span below is missed once in a
 * million swaps while blocks are a quarter slower, or faster, than ten minutes on average (facts/timelocks.md 28).
 * A fixed span for each block and a margin are missed far more often: 12.5 minutes a block and two hours over 72
 * blocks seven times in ten thousand, at ten minutes a block.
 */

/** Of all swaps, those in which blocks may take longer, or come sooner. */
const oftenMissed = 1e-6;

/** Seconds within which this many blocks have come, by a quarter slower ones, but for one swap in a million. */
export function longestFor(blocks: number, { slowBlock }: Pick<TimeoutPolicy, 'slowBlock'>): Seconds {
  if (blocks <= 0) return seconds(0);
  let [low, high] = [blocks, 2 * blocks + 64];
  while (high - low > precision) {
    const middle = (low + high) / 2;
    if (fewerThan(blocks, middle) > oftenMissed) low = middle;
    else high = middle;
  }
  return seconds(Math.ceil(high * slowBlock));
}

/** Seconds before which this many blocks have not come, by a quarter faster ones, but for one swap in a million. */
export function shortestFor(blocks: number, { fastBlock }: Pick<TimeoutPolicy, 'fastBlock'>): Seconds {
  if (blocks <= 0) return seconds(0);
  let [low, high] = [0, blocks];
  while (high - low > precision) {
    const middle = (low + high) / 2;
    if (1 - fewerThan(blocks, middle) > oftenMissed) high = middle;
    else low = middle;
  }
  return seconds(Math.floor(low * fastBlock));
}

/** The fewest blocks that do not come sooner than within a span, by `shortestFor`. */
export function fewestFor(span: number, policy: Pick<TimeoutPolicy, 'fastBlock'>): number {
  if (span <= 0) return 0;
  let blocks = mostWithin(span / policy.fastBlock);
  while (shortestFor(blocks, policy) < span) blocks += 1;
  return blocks;
}

/** Of an average interval: below a second of any block. */
const precision = 1e-4;

/** The number of blocks that no more come within so many average intervals, but for one swap in a million. */
function mostWithin(intervals: number): number {
  let [blocks, sum, logTerm] = [0, 0, -intervals];
  while (1 - sum > oftenMissed) {
    sum += Math.exp(logTerm);
    blocks += 1;
    logTerm += Math.log(intervals / blocks);
  }
  return blocks;
}

/** The chance that fewer than so many blocks come within so many average intervals (Poisson). */
function fewerThan(blocks: number, intervals: number): number {
  let [sum, logTerm] = [0, -intervals];
  for (let i = 0; i < blocks; i++) {
    sum += Math.exp(logTerm);
    logTerm += Math.log(intervals / (i + 1));
  }
  return Math.min(1, sum);
}
