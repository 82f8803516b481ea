import type { TakenDirection } from '../direction.ts';
import { createAt } from '../opening.ts';
import type { Machine } from '../../swap/machine.ts';
import type { ArkadeLeg, Leg, OrderTerms, TakerProgress } from '../terms.ts';
import { factsOf } from './facts.ts';
import { machineOf } from './machine.ts';
import { isAgreed, type Client, type Pair, type State } from './pair.ts';
import { stepsOf } from './steps.ts';

/** All that the client's operations know of a direction. */
export function clientOf<T extends OrderTerms, S extends Leg, G extends Leg>(of: Client<T, S, G>): TakenDirection<T> {
  const pair = of as unknown as Pair;
  const { source, target, needs, secret, order, restorable, neverRefunded } = of;
  return {
    ...{ source, target, needs, secret, order, restorable, neverRefunded },
    machine: (decode) => machineOf(pair, decode) as unknown as Machine<T, TakerProgress>,
    effects: (t) => createAt(t, of.direction, of.request(t)),
    facts: (t, p, now) => factsOf(pair, t, p as State, now),
    steps: (p, t) => stepsOf(pair, p as State, t),
    lateScript(p) {
      const leg = isAgreed(p as State) ? (p.deal?.source ?? null) : null;
      return leg?.on === 'arkade' ? (leg as ArkadeLeg).script : null;
    },
  };
}
