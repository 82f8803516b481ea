import type { OnchainWatch } from '../../../legs/onchain/watch.ts';

/** One of so many looks at all shows what comes to an HTLC that is looked at seldom. */
const seldomIn = 8;
/** After so many looks that were cut off one lets the others by. */
const mostCuts = 8;

/** An HTLC, and when it is looked at. */
export interface Turn {
  readonly swaps: ReadonlyMap<string, Pick<OnchainWatch, 'turn'>>;
  /** Looks at all until it is looked at again, where each of its swaps needs that seldom. */
  rest: number;
  /** Looks since it was told of, each of which was cut off. */
  cuts: number;
  /** When it was looked at last, by the clock of the process. */
  readAt: number;
}

/**
 * A stranger's swaps that nobody paid for are the most that can be open, and each is a question in every look: they are
 * spread over several, so that those in which money is are looked at as often as without them (facts/faults.md 214).
 */
export function dueOf<T extends Turn>(all: readonly T[]): readonly T[] {
  return all.filter((one) => {
    const isDue = one.rest === 0 || !isSeldom(one);
    if (!isDue) one.rest -= 1;
    return isDue;
  });
}

function isSeldom({ swaps }: Turn): boolean {
  return [...swaps.values()].every(({ turn }) => turn === 'seldom');
}

export function isLater({ swaps }: Turn): boolean {
  return [...swaps.values()].every(({ turn }) => turn !== undefined);
}

/** It is looked at now. */
export function noteTurn(one: Turn, isFirst: boolean): void {
  one.readAt = performance.now();
  one.rest = isSeldom(one) && !isFirst ? seldomIn - 1 : Math.floor(Math.random() * seldomIn);
}

/**
 * What was cut off is first among the later ones in the next look, while what it read stays read: but now and then it
 * is the last, so that none with too many coins stands in front of the others for ever (facts/faults.md 289).
 */
export function goOnNext(one: Turn): void {
  one.cuts += 1;
  if (one.cuts % mostCuts === 0) return;
  one.readAt = 0;
  one.rest = 0;
}

/** Begun anywhere: lives of the node that end in the midst of a look leave out no swap for ever. */
export function turned<T>(all: readonly T[]): readonly T[] {
  const first = Math.floor(Math.random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}
