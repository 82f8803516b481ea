/** One RPC of a chain. */
interface Voter {
  /** The owner's, by its address. */
  readonly own: boolean;
}

/**
 * Whether enough of a chain's RPCs say the same to agree: two, more than half of all, and one of the owner's where there is any
 * (facts/faults.md 36). Wrong: one liar is believed for what is worth more than its word.
 */
export function enoughToAgree(all: readonly Voter[], same: readonly Voter[]): boolean {
  const ownIsThere = all.some(({ own }) => own);
  return same.length >= 2 && 2 * same.length > all.length && (!ownIsThere || same.some(({ own }) => own));
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
