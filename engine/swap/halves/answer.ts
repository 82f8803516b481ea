import type { Effect, Step } from '../machine.ts';

/*
 * A swap is two HTLCs on one hash: one side's and the other's. A half handles one of them: it reports facts, takes
 * orders, and does not see the state of the other. The stage of the swap (`at`) says which states of both are legal
 * together: a state comes with the fields that the other half keeps beside it, and a step within a stage leaves those
 * as they are.
 */

/** A step without its new state: effects, ledger lines, a learned preimage, a flag. */
export type Along = Partial<Omit<Step<unknown>, 'progress'>>;

interface Fact {
  readonly fact: string;
}

/** A fact with what comes along. */
export type News<F extends Fact> = F & { readonly along?: Along };

/** How a half answers an event: it stays, moves within its stage, or reports a fact that ends the stage. */
export type Answer<S, F extends Fact> = 'stay' | Step<S> | News<F>;

export function isFact<X extends 'stay' | object>(answer: X): answer is Extract<X, Fact> {
  return typeof answer === 'object' && 'fact' in answer;
}

/** The step that a fact leads to. Effects of the half that told it come behind `first`. */
export function stepTo<P>(progress: P, { effects = [], ...along }: Along = {}, ...first: readonly Effect[]): Step<P> {
  return { progress, effects: [...first, ...effects], ...along };
}

/** Effects that repeat until the spend of our coin is buried make way for the new ones, and queue behind them. */
export function queuedBehind<P>(step: Step<P>, lasting: (progress: P) => readonly Effect[] | null): Step<P> {
  if (step.supersedes !== true && step.effects.length === 0) return step;
  const effects = lasting(step.progress);
  if (effects === null) return step;
  const { supersedes: _, ...rest } = step;
  return { ...rest, interrupts: true, effects: [...step.effects, ...effects] };
}
