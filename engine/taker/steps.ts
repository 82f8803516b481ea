import type { Locktime } from '../domain/time.ts';
import { going, over, type TurnView, type StepTrack } from './facts.ts';
import type { OrderTerms } from './terms.ts';

/* The steps that directions have in common: how they begin, and how what was paid comes back. */

export const create = { step: 'create', reachedBy: ['waiting', 'refused'] } as const;

/** The steps of a swap that was never paid; `ends` are the states in which it is over. */
export function closedBy(...ends: readonly string[]): StepTrack {
  return [create, { step: 'closed', reachedBy: ends }];
}

export const closed = closedBy('lapsed', 'refused');

/** What was paid comes back with the provider's signature, or alone; `back` is the state in which it has. */
export function takenBack(begin: StepTrack, back: string): StepTrack {
  return [
    ...begin,
    { step: 'sign-refund', reachedBy: ['refunding', back] },
    { step: 'refund', reachedBy: [back] },
    { step: 'returned', reachedBy: [back] },
  ];
}

/** Nothing is agreed yet, or never paid. */
export function unpaidSteps(
  { at }: { readonly at: 'creating' | 'refused' | 'lapsed' },
  t: OrderTerms,
  track: StepTrack,
  shut: StepTrack = closed,
): TurnView {
  switch (at) {
    case 'creating':
      return going('creating', { who: 'provider', step: 'create', until: t.createBefore }, track);
    case 'refused':
      return over('refused', shut);
    case 'lapsed':
      return over('unpaid', shut);
  }
}

/** The provider wants it no more; what is sent to it all the same comes back at the locktime. */
export function shutUntil(until: Locktime, shut: StepTrack = closed): TurnView {
  return going('wait', { who: 'nobody', step: 'closed', until }, shut);
}

/** The provider is asked for its signature. */
export function signing(until: Locktime, back: StepTrack): TurnView {
  return going('refund', { who: 'provider', step: 'sign-refund', until }, back);
}

/** It has declined, or cannot be asked: the locktime gives it back. */
export function unsigned(until: Locktime, back: StepTrack): TurnView {
  return going('refund', { who: 'nobody', step: 'await-refund', until }, back, 'sign-refund');
}

export function refunding(back: StepTrack): TurnView {
  return going('refund', { who: 'node', step: 'refund', until: null }, back);
}
