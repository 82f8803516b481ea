import type { SwapStep } from '../swap/machine.ts';
import type { Entry } from './working-set.ts';

/** Nothing but a flag that is up already: every poll may repeat it, the journal shall not. */
export function saysAgain(step: SwapStep<{ readonly at: string }>, { row }: Entry): boolean {
  return (
    step.flag !== undefined &&
    step.flag === row.flag &&
    step.progress === row.progress &&
    step.effects.length === 0 &&
    step.ledger === undefined
  );
}

/**
 * Agreed to once more: what a client may ask for as often as it likes leaves no line for each time (facts/faults.md
 * 53).
 */
export function changesNothing(step: SwapStep<{ readonly at: string }>, { row }: Entry): boolean {
  const { progress, effects, ...more } = step;
  return progress === row.progress && effects.length === 0 && Object.values(more).every((part) => part === undefined);
}
