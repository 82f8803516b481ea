/** Repeatable chance: the same seed gives the same numbers (mulberry32). */
export interface Chance {
  /** From 0 up to but without 1. */
  next(): number;
  between(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
}

export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick(from) {
      const one = from[Math.floor(next() * from.length)];
      if (one === undefined) throw new RangeError('nothing to pick from');
      return one;
    },
  };
}
