import type { Queue } from '../../legs/leg.ts';
import { ofLeg } from '../halves/own-leg.ts';
import type { ClaimHalf, ClaimStates } from '../halves/claim.ts';
import type { FundHalf, FundStates } from '../halves/fund.ts';

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
    lapsed: (t, p, event) => (hears(event) ? named(half.lapsed(t, p, event)) : 'stay'),
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
    doubted: (t, p, event, now, holds) => (hears(event) ? named(half.doubted(t, p, event, now, holds)) : null),
    afterReturn: (p, event) => (hears(event) ? named(half.afterReturn(p, event)) : null),
  };
}
