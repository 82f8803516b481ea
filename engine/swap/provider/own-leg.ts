import type { Leg, Queue } from '../../legs/leg.ts';
import { isFact, type Along } from '../halves/answer.ts';
import type { ClaimHalf, ClaimStates } from '../halves/claim.ts';
import type { FundHalf, FundStates } from '../halves/fund.ts';
import type { Event, Step } from '../machine.ts';

/*
 * A half hears of prepared transactions of its own leg alone, and what it drops is what was asked for on its own leg.
 *
 * Loses money when wrong: a transaction of one leg that ends the claim of the other; a claim that the end of the other
 * half drops.
 */

type Legs = readonly Queue[];
type Claim<D> = ClaimHalf<unknown, ClaimStates, D>;
type Fund<D> = FundHalf<unknown, FundStates, D>;

export function claimOfItsLeg(half: Claim<true>): Claim<Legs> {
  const { hears, named } = ofLeg(half.leg);
  return {
    ...half,
    waiting: (t, p, event, now) => (hears(event) ? named(half.waiting(t, p, event, now)) : 'stay'),
    isLook: (event) => hears(event) && half.isLook(event),
    backing: (t, p, event) => named(half.backing(t, p, event)),
    claiming: (t, p, event, now, isPaidBack) =>
      hears(event) ? named(half.claiming(t, p, event, now, isPaidBack)) : null,
    over: (t, p, event, now) => (hears(event) ? named(half.over(t, p, event, now)) : null),
    stopped: (t, p, event, now) => (hears(event) ? named(half.stopped(t, p, event, now)) : 'stay'),
    lapsed: (p, event) => (hears(event) ? named(half.lapsed(p, event)) : 'stay'),
    refunded: (t, p, event, now) => (hears(event) ? named(half.refunded(t, p, event, now)) : 'stay'),
  };
}

export function fundOfItsLeg(half: Fund<true>): Fund<Legs> {
  const { hears, named } = ofLeg(half.leg);
  return {
    ...half,
    standing: (t, p, event, now, backing) => (hears(event) ? named(half.standing(t, p, event, now, backing)) : null),
    revealed: (t, p, event, now, surety) => (hears(event) ? named(half.revealed(t, p, event, now, surety)) : null),
    lost: (t, p, took, surety) => named(half.lost(t, p, took, surety)),
    doubted: (t, p, event, now) => (hears(event) ? named(half.doubted(t, p, event, now)) : null),
    afterReturn: (p, event) => (hears(event) ? named(half.afterReturn(p, event)) : null),
  };
}

type Drops = Pick<Step<unknown>, 'supersedes' | 'interrupts'>;

/** What a half answers, with its leg named. */
type Named<A> = A extends { readonly fact: string; readonly along?: Along }
  ? Omit<A, 'along'> & { readonly along?: Along<Legs> }
  : A extends Drops
    ? Omit<A, keyof Drops> & { readonly [D in keyof Drops]?: Legs }
    : A;

function ofLeg(leg: Leg) {
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
