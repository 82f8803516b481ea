/** So many changes of one swap are passed on at once, and one more after so many milliseconds. */
const atOnce = 16;
const everyMs = 600_000;

interface LastWord {
  readonly word: unknown;
  readonly left: number;
  readonly at: number;
}

/**
 * What strangers say of our swaps is passed on within an allowance: each change is written to the disk or the log, and
 * one that changes at every look would fill both (facts/faults.md 323). An honest provider has fewer changes than that.
 */
export function createChatter(nowMs: () => number) {
  const swaps = new Map<string, LastWord>();
  const leftOf = ({ left, at }: LastWord, now: number): number => Math.min(atOnce, left + (now - at) / everyMs);

  return {
    /** Whether a word is passed on. Another one than before uses up a part of the swap's allowance. */
    passes(swapId: string, word: unknown): boolean {
      const now = nowMs();
      const last = swaps.get(swapId) ?? { word: null, left: atOnce, at: now };
      if (word === last.word) return true;
      const left = leftOf(last, now);
      if (left < 1) return false;
      swaps.set(swapId, { word, left: left - 1, at: now });
      return true;
    },
    /** Of what has its whole allowance again nothing is remembered. */
    sweep(): void {
      const now = nowMs();
      for (const [swapId, last] of swaps) if (leftOf(last, now) >= atOnce) swaps.delete(swapId);
    },
  };
}
