import { toHex } from '../../domain/hex.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { move, type Effect, type Event, type Machine, type Outcome, type Watch } from '../../swap/machine.ts';
import { clientMachine, repeated, whilePaid } from '../client.ts';
import { createAt, unpaidStatus, whenCreating } from '../opening.ts';
import { lockOpen, whenAsking, whenFunded, whenRefunding } from '../vhtlc-source/refunding.ts';
import { rescueOfSource } from '../vhtlc-source/rescue.ts';
import { whenCoinsSeen } from '../vhtlc-source/seen.ts';
import { shape } from './shape.ts';
import { arkadeLightningSteps } from './steps.ts';
import { cancelled, dealtOf } from '../vhtlc-source/terms.ts';
import { sourceWatches } from '../vhtlc-source/watches.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';
import { verifyArkadeLightning } from './verify.ts';

/**
 * The client's half of Arkade to Lightning: we fund a VHTLC, the provider pays the invoice and claims it with the
 * preimage that the payment revealed, which is our proof. Every coin at our script that it did not take is ours to
 * refund: with its signature when it is out of the swap, alone after the locktime.
 *
 * Loses money when wrong: a coin of ours that nobody takes back before it expires; a claim taken for a payment without
 * its preimage.
 */
type T = TakeArkadeLightningTerms;
type P = TakeArkadeLightningProgress;

export function takeArkadeLightningEffects(t: T): Effect[] {
  const body = {
    arkade_htlc_script_version: 1,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
  };
  return createAt(t, 'arkade-lightning', body);
}

function whenWaiting(p: P & { at: 'waiting' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'cancel.requested') return cancelled(p);
  if (event.is === 'provider.seen') return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
  return event.is === 'clock' && lockOpen(p, now) ? move<P>({ at: 'lapsed', ...dealtOf(p) }) : 'stay';
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  if (p.at === 'creating')
    return whenCreating(t, event, now, {
      verify: (record) => verifyArkadeLightning(record, t, now),
      begin: (deal): P => ({ at: 'waiting', deal, said: 'pending', coins: [], expiresAt: null, proof: null }),
    });
  if (p.at === 'refused') return 'stay';
  if (event.is === 'vhtlc.seen') return whenCoinsSeen(t, p, event, now);
  switch (p.at) {
    case 'waiting':
      return whenWaiting(p, event, now);
    case 'funded':
      return whenFunded(t, p, event, now);
    case 'asking':
      return whenAsking(t, p, event, now);
    case 'refunding':
      return whenRefunding(t, p, event, now);
    case 'done':
      return event.is === 'clock' && !p.over && lockOpen(p, now) ? move<P>({ ...p, over: true }) : 'stay';
    case 'lapsed':
      return 'stay';
  }
}

function watches(t: T, p: P): Watch[] {
  if (p.at === 'creating' || p.at === 'refused') return [];
  const { vhtlc, queue, provider } = sourceWatches(t, p);
  switch (p.at) {
    case 'waiting':
      return [vhtlc, provider];
    case 'funded':
      return [vhtlc, queue, provider];
    case 'asking':
    case 'refunding':
      return [vhtlc, queue];
    default:
      return [vhtlc];
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'creating':
      return t.createBefore;
    case 'waiting':
    case 'funded':
    case 'asking':
      return p.deal.source.vhtlc.refundLocktime;
    case 'done':
      return p.over ? null : p.deal.source.vhtlc.refundLocktime;
    default:
      return null;
  }
}

const believable: ReadonlySet<SwapStatus> = new Set([...whilePaid, 'clientredeemed']);

function status(p: P): SwapStatus {
  if ('proof' in p && p.proof !== null) return 'serverredeemed';
  switch (p.at) {
    case 'creating':
    case 'waiting':
    case 'refused':
    case 'lapsed':
      return unpaidStatus(p);
    case 'funded':
    case 'asking':
    case 'refunding':
      return repeated(p.said, believable);
    case 'done':
      return 'clientrefunded';
  }
}

function open(_: T, p: P): boolean {
  if (p.at === 'done') return !p.over;
  return p.at !== 'refused' && p.at !== 'lapsed';
}

export const takeArkadeLightning: Machine<T, P> = clientMachine(
  { name: 'take-arkade-lightning', shape, step, watches, deadline, status, open, rescue: rescueOfSource },
  arkadeLightningSteps,
);
