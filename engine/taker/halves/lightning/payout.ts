import { bitcoinSide } from '../../facts.ts';
import { lightningLeg } from '../../shape.ts';
import type { LightningLeg } from '../../terms.ts';
import type { Sats } from '../../../domain/money.ts';
import type { ClientClaim } from '../claim.ts';

/** What of the terms its payment hangs on. */
export interface PayoutTerms {
  readonly bolt11: string;
  readonly targetAmount: Sats;
}

/**
 * The provider pays an invoice, and takes ours with the secret that proves it: nothing of it is ours to see or to
 * claim.
 */
export const paidOverLightning: ClientClaim<PayoutTerms, LightningLeg, object, object> = {
  leg: 'lightning',
  theirs: 'its payment',
  fields: { target: lightningLeg, facts: {}, claiming: {} },
  none: {},
  look: null,
  offered: () => 'stay',
  claiming: () => 'stay',
  resume: (_, target) => ({ progress: target, effects: [] }),
  fate: (_, isTaken) => (isTaken ? 'ours' : null),
  unsafe: () => null,
  isOffered: () => false,
  isOver: () => false,
  watches: () => [],
  rescue: () => null,
  isShown: () => false,
  isByNote: () => false,
  view: {
    get: (t, deal) => bitcoinSide('lightning', deal?.target.amount ?? t.targetAmount),
    to: ({ bolt11 }) => ({ own: false, text: bolt11 }),
    now: () => null,
    times: () => null,
    moves: () => [],
    track: [
      { step: 'pay-out', reachedBy: ['claimed', 'done'] },
      { step: 'finished', reachedBy: ['claimed', 'done'] },
    ],
    waits: (_, __, ___, until) => ({ turn: { who: 'provider', step: 'pay-out', until } }),
    claimTurn: () => ({ who: 'node', step: 'claim', until: null }),
  },
};
