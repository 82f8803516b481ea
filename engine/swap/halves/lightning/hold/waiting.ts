import type { Clocks } from '../../../../domain/time.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../../machine.ts';
import type { Answer } from '../../answer.ts';
import type { Sure } from '../../claim.ts';
import { invoiceOf, stop, type Hold, type HoldTerms as T, type Stopped, type Waiting } from './terms.ts';

/** What a new swap asks for first: its hold invoice. */
export function openingEffects({
  hash,
  sourceAmount: amount,
  description,
  descriptionHash,
  fundBefore: expiresAt,
  cltvDelta,
}: T): Effect[] {
  const text = { description, ...(descriptionHash === undefined ? {} : { descriptionHash }) };
  return [{ do: 'hold.create', hash, amount, ...text, expiresAt, cltvDelta }];
}

export function cancel({ hash }: T): Effect {
  return { do: 'hold.cancel', hash };
}

/** Waiting for the invoice, with whoever asked for the swap. */
export function whenOpening(t: T, event: Event, now: Clocks): Outcome<Waiting['pending' | 'unopened']> {
  switch (event.is) {
    case 'hold.created':
      return move<Waiting['pending']>({ at: 'pending', bolt11: event.bolt11, invoiceExpiresAt: event.expiresAt });
    case 'abandoned':
      return unopened(event.reason);
    case 'clock':
      // Nobody waits for the answer any more: a restart ended the request, and the node was away until now.
      return now.wall >= t.fundBefore ? unopened('the Lightning node took the invoice too late or not at all') : 'stay';
    case 'hold.refused':
      return unopened(event.reason, event.taken);
    default:
      return 'stay';
  }
}

/**
 * Nobody was told of the invoice, so nobody can pay it. It is not cancelled: the hash of a cancelled one is lost for
 * good, and the client may ask again with the same secret (facts/faults.md 46).
 */
function unopened(reason: string, isTaken?: true): Step<Waiting['unopened']> {
  const progress = { at: 'unopened', reason, ...(isTaken === true ? { taken: isTaken } : {}) } as const;
  return { progress, effects: [], supersedes: true };
}

/** Waiting for the payment. */
export function whenPending(
  t: T,
  p: Waiting['pending'],
  event: Event,
  now: Clocks,
): Answer<Hold['waiting' | 'stopped' | 'lapsed'], Sure<Hold>> {
  // Our own clock on both sides: how far it is from the Lightning node's does not matter.
  if (event.is === 'clock' && now.wall >= t.fundBefore)
    return move<Stopped>(stop('expired', 'nothing was paid in time', p), cancel(t));
  if (event.is !== 'hold.seen') return 'stay';
  const { state } = event;
  if (state.is === 'cancelled') return move<Hold['lapsed']>({ at: 'lapsed', ...invoiceOf(p) });
  if (state.is !== 'held') return 'stay';
  const { expiryHeight } = state;
  return { fact: 'sure', sure: { ...invoiceOf(p), expiryHeight }, sight: state, waits: null };
}
