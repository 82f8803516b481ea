import type { Arena } from './arena.ts';
import { directions, type HonestSwap } from './honest.ts';
import type { Tally } from './kind.ts';
import type { Life } from './memory.ts';

interface Facts {
  readonly arena: Arena;
  readonly tally: Tally;
  readonly swaps: readonly HonestSwap[];
  readonly seed: number;
  readonly minutes: number;
}

/** What a run did and saw, for a person. */
export function figuresOf({ arena: { stage, node }, tally, swaps, seed, minutes }: Facts): string {
  return [
    `${minutes} minutes, seed ${seed}: ${stage.scenarios.length} swaps, ${node.kills} kills`,
    ...[...tally].toSorted(([a], [b]) => a.localeCompare(b)).map(([what, times]) => `  ${times} ${what}`),
    'honest clients:',
    ...directions.map(
      (one) =>
        `  ${lineOf(
          swaps.filter(({ direction }) => direction === one),
          one,
        )}`,
    ),
  ].join('\n');
}

/** The same of its memory. */
export function memoryIn(life: Life | null): string {
  if (life === null) return 'memory: not looked at';
  const { seconds, warm, end } = life;
  return (
    `memory from its warm-up to its end, ${seconds.toFixed(0)} s later, garbage swept: heap ` +
    `${megabytes(warm.heap, end.heap)}, resident ${megabytes(warm.resident, end.resident)}`
  );
}

function lineOf(swaps: readonly HonestSwap[], direction: string): string {
  const times = swaps.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
  const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
  const waited = Math.max(0, ...swaps.map((one) => one.waited)).toFixed(0);
  const done = swaps.filter(({ isDone }) => isDone).length;
  return `${direction}: ${swaps.length} swaps, ${done} got what they wanted, half within ${at(0.5)} s, all within ${at(1)} s; begun after ${waited} s at most`;
}

function megabytes(from: number, to: number): string {
  return `${from.toFixed(0)} to ${to.toFixed(0)} MB`;
}
