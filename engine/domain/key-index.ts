/*
 * Indices of a client's keys. Each is used for one swap: whoever saw the secret of an index takes what a second swap
 * with it would guard.
 */

/** BIP-32: indices from here on are hardened, and are no client's. */
export const keyIndices = 0x80000000;

/** Words that were used elsewhere begin again at a multiple of it: more swaps than a person makes in years. */
export const beginningEvery = 10_000;

/** So many of the places where words may have begun again are looked at, beyond the last swap that is known. */
const beginningsAhead = 10;

/**
 * Where words go on that may have been used elsewhere: the first multiple of 10,000 that is at least 10,000 past the
 * highest index that was used for certain, null for none. Nobody's silence proves that a key is new, so it is never 0.
 */
export function beginningPast(proven: number | null): number {
  return Math.ceil(((proven ?? 0) + beginningEvery) / beginningEvery) * beginningEvery;
}

/** Whether two indices come from one beginning: whoever went from there to the higher one came by the lower. */
export function sameBeginning(one: number, other: number): boolean {
  return beginningAbove(one) === beginningAbove(other);
}

/** The first place above an index where words that were brought back may have begun again. */
export function beginningAbove(index: number): number {
  return (Math.floor(index / beginningEvery) + 1) * beginningEvery;
}

/** The last such place to look at, with the highest index that is known to be used, null for none. */
export function lastBeginning(proven: number | null): number {
  const last = (Math.floor((proven ?? 0) / beginningEvery) + beginningsAhead) * beginningEvery;
  return Math.min(last, Math.floor((keyIndices - 1) / beginningEvery) * beginningEvery);
}
