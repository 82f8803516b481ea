import type { Answered, Sources } from './sources.ts';

/**
 * The answers of those that are in step, or of all where none is: one that is behind counts too little, and of two the
 * lower figure is believed (facts/faults.md 168).
 */
export function inStep<T>(sources: Sources, all: readonly Answered<T>[]): readonly Answered<T>[] {
  const ahead = all.filter(({ source }) => !sources.lags(source));
  return ahead.length === 0 ? all : ahead;
}

/** Whether one of several is all that answers: nobody backs its word. */
export function aloneOf({ all }: Sources, answers: readonly unknown[]): { readonly alone?: true } {
  return answers.length === 1 && all.length > 1 ? { alone: true } : {};
}

/**
 * The highest that another one says too; the only one's word where there is no other. One that is ahead of all lies or
 * is early.
 */
export function backed(counts: readonly number[]): number {
  const [highest = 0, second = highest] = counts.toSorted((a, b) => b - a);
  return second;
}
