import type { Leg, Queue } from '../../legs/leg.ts';
import type { Event, Step } from '../machine.ts';
import { isFact, type Along } from './answer.ts';

type Legs = readonly Queue[];
type Drops = Pick<Step<unknown>, 'supersedes' | 'interrupts'>;

/** What a half answers, with its leg named. */
type Named<A> = A extends { readonly fact: string; readonly along?: Along }
  ? Omit<A, 'along'> & { readonly along?: Along<Legs> }
  : A extends Drops
    ? Omit<A, keyof Drops> & { readonly [D in keyof Drops]?: Legs }
    : A;

/** What a half of this leg hears, and what it answers with its leg named. */
export function ofLeg(leg: Leg) {
  const legs: Legs = [leg];

  function withLeg({ supersedes, interrupts, ...rest }: Drops): object {
    return {
      ...rest,
      ...(supersedes === undefined ? {} : { supersedes: legs }),
      ...(interrupts === undefined ? {} : { interrupts: legs }),
    };
  }

  function named<A extends object | 'stay' | null>(answer: A): Named<A> {
    const of: object | 'stay' | null = answer;
    if (of === null || of === 'stay') return of as Named<A>;
    if (!isFact(of)) return withLeg(of) as Named<A>;
    const fact: { readonly fact: string; readonly along?: Along } = of;
    return (fact.along === undefined ? fact : { ...fact, along: withLeg(fact.along) }) as Named<A>;
  }

  return { hears: (event: Event) => !('leg' in event) || event.leg === leg, named };
}
