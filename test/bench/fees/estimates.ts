import type { TraceBlock } from './trace.ts';

/**
 * Bitcoin Core's three horizons (src/policy/fees): up to how many blocks each tells, and how a block loses weight with
 * each that follows.
 */
const horizons = [
  { furthest: 12, decay: 0.962 },
  { furthest: 48, decay: 0.9952 },
  { furthest: 1_008, decay: 0.99931 },
] as const;
/** Weight below which an old block is left out. */
const leastWeight = 0.01;

/**
 * What Core's `estimatesmartfee` (economical) says of a trace after block `tip`: the rate at which 85 % of what was
 * ever sent would have been mined within the target, 60 % within half of it, and 95 % within twice as much, by a memory
 * that fades. It is late to see a rise, and later to see a fall.
 */
export function estimatesOf(blocks: readonly TraceBlock[]): (tip: number, target: number) => number {
  /** Cheapest of the `target` blocks after each, by target. */
  const cheapest = new Map<number, Float64Array>();
  const answers = new Map<string, number>();

  function cheapestWithin(target: number): Float64Array {
    const before = cheapest.get(target);
    if (before !== undefined) return before;
    const rates = Float64Array.from(blocks, (_, i) =>
      blocks.slice(i + 1, i + 1 + target).reduce((least, { rate }) => Math.min(least, rate), Number.POSITIVE_INFINITY),
    );
    cheapest.set(target, rates);
    return rates;
  }

  function quantile(tip: number, target: number, share: number, decay: number): number {
    const rates = cheapestWithin(target);
    const oldest = Math.max(0, Math.floor(tip - target - Math.log(leastWeight) / Math.log(decay)));
    const weighed: { rate: number; weight: number }[] = [];
    let sum = 0;
    for (let i = tip - target; i >= oldest; i--) {
      const weight = decay ** (tip - target - i);
      weighed.push({ rate: rates[i] ?? 1, weight });
      sum += weight;
    }
    weighed.sort((a, b) => a.rate - b.rate);
    let passed = 0;
    for (const { rate, weight } of weighed) {
      passed += weight;
      if (passed >= share * sum) return rate;
    }
    return 0;
  }

  function combined(tip: number, target: number, share: number): number {
    const at = horizons.findIndex(({ furthest }) => target <= furthest);
    let answer = quantile(tip, target, share, horizons[at]?.decay ?? 1);
    // A shorter memory that asks less for fewer blocks is believed.
    for (const { furthest, decay } of horizons.slice(0, Math.max(0, at)))
      answer = Math.min(answer, quantile(tip, furthest, share, decay));
    return answer;
  }

  return (tip, blocksAhead) => {
    const target = Math.max(2, blocksAhead);
    const key = `${tip}:${target}`;
    const before = answers.get(key);
    if (before !== undefined) return before;
    const answer = Math.max(
      blocks[tip]?.minimum ?? 1,
      combined(tip, Math.floor(target / 2), 0.6),
      combined(tip, target, 0.85),
      combined(tip, 2 * target, 0.95),
    );
    answers.set(key, answer);
    return answer;
  };
}
