import type { TakenDirection } from '../direction.ts';
import { createAt } from '../opening.ts';
import type { Machine } from '../../swap/machine.ts';
import type { ArkadeLeg, Leg, OrderTerms, TakerProgress } from '../terms.ts';
import { factsOf } from './facts.ts';
import { machineOf } from './machine.ts';
import { isAgreed, secretOf, type Client, type Pair, type State } from './pair.ts';
import { stepsOf } from './steps.ts';

const places = { arkade: 'Arkade', lightning: 'Lightning', bitcoin: 'Bitcoin', evm: 'evm' } as const;

/** All that the client's operations know of a direction. */
export function clientOf<T extends OrderTerms, S extends Leg, G extends Leg>(of: Client<T, S, G>): TakenDirection<T> {
  const pair = of as unknown as Pair;
  const { order, restorable, neverRefunded } = of;
  const legs = [of.fund.leg, of.claim.leg];
  return {
    ...{ order, restorable, neverRefunded, secret: secretOf(pair) },
    source: places[of.fund.leg],
    target: places[of.claim.leg],
    needs: legs.includes('arkade') ? ['arkade', 'bitcoin'] : ['bitcoin'],
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
