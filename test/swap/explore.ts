import type { SwapStep } from '../../engine/swap/machine.ts';
import { encode } from '../../engine/store/codec.ts';
import type { Case } from './cases.ts';

export interface Move<P> {
  readonly from: P;
  readonly label: string;
  readonly step: SwapStep<P>;
}

/** Every state that the machine reaches when the events of the case come in any order, and every move between them. */
export function explore<T, P extends { readonly at: string }>({
  machine,
  terms,
  first,
  events,
  alike = encode,
}: Case<T, P>): { states: P[]; moves: Move<P>[] } {
  const states = new Map<string, P>([[alike(first), first]]);
  const moves: Move<P>[] = [];
  for (const from of states.values()) {
    for (const { label, event, now } of events) {
      const step = machine.step(terms, from, event, now);
      if (step === 'stay') continue;
      moves.push({ from, label, step });
      const key = alike(step.progress);
      if (!states.has(key)) states.set(key, step.progress);
    }
  }
  return { states: [...states.values()], moves };
}
