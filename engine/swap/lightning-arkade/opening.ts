import type { Clocks } from '../../domain/time.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../machine.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

/** What a new swap asks for first: its hold invoice. */
export function openingEffects(t: T): Effect[] {
  return [
    {
      do: 'hold.create',
      hash: t.hash,
      amount: t.sourceAmount,
      description: t.description,
      expiresAt: t.fundBefore,
      cltvDelta: t.cltvDelta,
    },
  ];
}

/** Waiting for the invoice, with whoever asked for the swap. */
export function whenOpening(t: T, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'hold.created')
    return move<P>({ at: 'pending', bolt11: event.bolt11, invoiceExpiresAt: event.expiresAt });
  if (event.is === 'abandoned') return abandon(event.reason);
  // Nobody waits for the answer any more: a restart ended the request, and the node was away until now.
  if (event.is === 'clock' && now.wall >= t.fundBefore)
    return abandon('the Lightning node took the invoice too late or not at all');
  return event.is === 'hold.refused' ? refused(event) : 'stay';
}

/**
 * Nobody was told of the invoice, so nobody can pay it. It is not cancelled: the hash of a cancelled one is lost for good,
 * and the client may ask again with the same secret (facts/faults.md 46).
 */
function abandon(reason: string): Outcome<P> {
  return { progress: { at: 'unopened', reason }, effects: [], supersedes: true };
}

function refused({ reason, taken }: Event & { is: 'hold.refused' }): Step<P> {
  return { progress: { at: 'unopened', reason, ...(taken === true ? { taken } : {}) }, effects: [], supersedes: true };
}
