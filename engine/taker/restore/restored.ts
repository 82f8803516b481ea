import type { Facts, TurnView } from '../facts.ts';
import type { OrderTerms } from '../terms.ts';

/** Nobody is asked to pay what they may have paid already, nor what only the provider says they wanted. */
export function factsOfRestored(facts: Facts, { restored }: OrderTerms): Facts {
  return restored === undefined ? facts : { ...facts, pay: null };
}

export function stepsOfRestored(standing: TurnView, { restored }: OrderTerms): TurnView {
  return restored === undefined || standing.phase !== 'pay'
    ? standing
    : { ...standing, phase: 'wait', turn: { who: 'node', step: 'look', until: standing.turn.until } };
}
