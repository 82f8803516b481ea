import type { Effect, Step } from '../machine.ts';

/*
 * A swap is two HTLCs on one hash: one side's and the other's. A half handles one of them: it reports facts, takes
 * orders, and does not see the state of the other. The stage of the swap (`at`) says which states of both are legal
 * together: a state comes with the fields that the other half keeps beside it, and a step within a stage leaves those
 * as they are.
 */

/** A step without its new state: effects, ledger lines, a learned preimage, a flag. */
export type Along<Drops = true> = Partial<Omit<Step<unknown, Drops>, 'progress'>>;

interface Fact {
  readonly fact: string;
}

/** A fact with what comes along. */
export type News<F extends Fact, Drops = true> = F & { readonly along?: Along<Drops> };

/** How a half answers an event: it stays, moves within its stage, or reports a fact that ends the stage. */
export type Answer<S, F extends Fact, Drops = true> = 'stay' | Step<S, Drops> | News<F, Drops>;

export function isFact<X extends 'stay' | object>(answer: X): answer is Extract<X, Fact> {
  return typeof answer === 'object' && 'fact' in answer;
}

/** The step that a fact leads to. Effects of the half that told it come behind `first`. */
export function stepTo<P, Drops = true>(
  progress: P,
  { effects = [], ...along }: Along<Drops> = {},
  ...first: readonly Effect[]
): Step<P, Drops> {
  return { progress, effects: [...first, ...effects], ...along };
}
