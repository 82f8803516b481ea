/** One RPC of a chain. */
interface Voter {
  /** The owner's, by its address. */
  readonly own: boolean;
}

/**
 * Whether enough of a chain's RPCs say the same to agree: two, more than half of all, and one of the owner's where
 * there is any (facts/faults.md 36). Wrong: one liar is believed for what is worth more than its word.
 */
export function enoughToAgree(all: readonly Voter[], same: readonly Voter[]): boolean {
  const ownIsThere = all.some(({ own }) => own);
  return same.length >= 2 && 2 * same.length > all.length && (!ownIsThere || same.some(({ own }) => own));
}

/**
 * The one of RPCs up to whose figure, a height or a time, enough of them have come: each says its own, and what is
 * higher is the word of too few (facts/faults.md 64). A single one is all that there is. Null for none. Wrong: one RPC
 * alone sets a clock, or buries a block.
 */
export function reachedByEnough<V extends Voter>(all: readonly V[], figure: (one: V) => number): V | null {
  if (all.length <= 1) return all[0] ?? null;
  const byFigure = all.toSorted((a, b) => figure(b) - figure(a));
  return byFigure.find((_, i) => enoughToAgree(all, byFigure.slice(0, i + 1))) ?? null;
}

/** Whether RPCs are silent without whom nothing can be agreed on; with a single RPC its word counts. */
export function isTooSilent(all: readonly (Voter & { readonly failure: string | null })[]): boolean {
  return (
    all.length > 1 &&
    !enoughToAgree(
      all,
      all.filter(({ failure }) => failure === null),
    )
  );
}
