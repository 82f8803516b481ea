import { day, hasPassed, hour, type Unix } from '../domain/time.ts';

interface Repetition {
  readonly count: number;
  readonly last: Unix;
  readonly toldAt: Unix;
}

/** More than that at once is no list that anybody reads: the oldest are forgotten, and are new if they come back. */
const mostRemembered = 2_000;

/** What differs in numbers alone, a height or a sum that moves, is the same. */
export function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

/**
 * Counts what is said again and again: it is told the first time, at its tenth, hundredth, thousandth, and once an
 * hour. A day of silence begins anew.
 */
export function createRepetitions(wall: () => Unix) {
  const repetitions = new Map<string, Repetition>();

  return {
    /** How often it was said by now, and whether to tell it. */
    count(key: string): { readonly count: number; readonly tell: boolean } {
      const now = wall();
      const before = repetitions.get(key);
      const again = before !== undefined && !hasPassed(day, before.last, now);
      const count = again ? before.count + 1 : 1;
      const tell = !again || Number.isInteger(Math.log10(count)) || hasPassed(hour, before.toldAt, now);
      repetitions.delete(key);
      repetitions.set(key, { count, last: now, toldAt: tell ? now : before.toldAt });
      if (repetitions.size > mostRemembered)
        for (const oldest of [...repetitions.keys()].slice(0, repetitions.size - mostRemembered))
          repetitions.delete(oldest);
      return { count, tell };
    },
  };
}
