import type { Effect, Step } from '../machine.ts';

/*
 * A swap claims on one network and funds on another. A half knows its own network alone: it tells facts, takes orders, and never sees what the
 * other half is in. The stage of the swap (`at`) says which states of both are legal together. A state comes with whatever the other half keeps
 * beside it, and a step within a stage leaves that as it is.
 */

/** What a step asks for and saves, besides the state that it leads to. */
export type Along = Partial<Omit<Step<unknown>, 'progress'>>;

interface Fact {
  readonly fact: string;
}

/** A fact with what comes along. */
export type News<F extends Fact> = F & { readonly along?: Along };

/** What an event comes to in a half: a step within its stage, or a fact. */
export type Answer<S, F extends Fact> = 'stay' | Step<S> | News<F>;

export function isFact<X extends 'stay' | object>(answer: X): answer is Extract<X, Fact> {
  return typeof answer === 'object' && 'fact' in answer;
}

/** The step that a fact leads to. Effects of the half that told it come behind `first`. */
export function stepTo<P>(progress: P, { effects = [], ...along }: Along = {}, ...first: readonly Effect[]): Step<P> {
  return { progress, effects: [...first, ...effects], ...along };
}
