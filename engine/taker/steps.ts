import type { Locktime } from '../domain/time.ts';
import { going, type TurnView, type StepTrack } from './facts.ts';

/* The steps that directions have in common: how they begin, and how what was paid comes back. */

export const create = { step: 'create', reachedBy: ['waiting', 'refused'] } as const;

/** The steps of a swap that was never paid. */
export const shut: StepTrack = [create, { step: 'closed', reachedBy: ['lapsed', 'refused', 'lost'] }];

/** What was paid comes back with the provider's signature, or alone; `back` is the state in which it has. */
export function takenBack(begin: StepTrack, back: string): StepTrack {
  return [
    ...begin,
    { step: 'sign-refund', reachedBy: ['refunding', back] },
    { step: 'refund', reachedBy: [back] },
    { step: 'returned', reachedBy: [back] },
  ];
}

/** The provider wants it no more; what is sent to it all the same comes back at the locktime. */
export function shutUntil(until: Locktime): TurnView {
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
