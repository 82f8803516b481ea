import fc from 'fast-check';

/** Whatever is to be chosen in a game, the next number chooses it: from 0 to one below the sides. */
export type Dice = (sides: number) => number;

export function diceOf(numbers: readonly number[]): { roll: Dice; left: () => boolean; unlucky: () => boolean } {
  let next = 0;
  const roll: Dice = (sides) => (numbers[next++] ?? 0) % sides;
  const left = () => next < numbers.length;
  // Bad luck has an end: what comes after the game is fair.
  return { roll, left, unlucky: () => left() && roll(8) === 0 };
}

/** Games of so many throws, the same ones each time. */
export interface Games {
  readonly runs: number;
  readonly throws: readonly [least: number, most: number];
  readonly seed: number;
  /** A game that is lost is told as it was played: to find a shorter one takes too long. */
  readonly asPlayed?: true;
}

/** They compute for many seconds, and others may have the processor. */
export const gamesLimit = { timeout: 300_000 };

/** The states that the games end in, sorted; throws the first game that is lost. */
export function endings(
  play: (numbers: readonly number[]) => string,
  { runs, throws: [minLength, maxLength], seed, asPlayed }: Games,
): string[] {
  const ends = new Set<string>();
  const games = fc.array(fc.nat({ max: 9_999 }), { minLength, maxLength, size: 'max' });
  fc.assert(
    fc.property(games, (numbers) => {
      ends.add(play(numbers));
    }),
    { numRuns: runs, seed, endOnFailure: asPlayed === true },
  );
  return [...ends].sort();
}
