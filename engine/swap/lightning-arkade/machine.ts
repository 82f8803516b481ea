import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { move, type Event, type Machine, type Outcome, type Watch } from '../machine.ts';
import { whenLocked } from '../vhtlc-target/locked.ts';
import { whenLocking } from '../vhtlc-target/locking.ts';
import { whenRefunding } from '../vhtlc-target/refunding.ts';
import { lockWatch, queueWatch } from '../vhtlc-target/watches.ts';
import { whenClaimed, whenOver } from './claimed.ts';
import { fate } from './fate.ts';
import { locking, whenHeld, whenPending } from './locking.ts';
import { whenOpening } from './opening.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import { invoiceOf, type LightningArkadeProgress, type LightningArkadeTerms, type Locked } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

const statuses: Record<P['at'], SwapStatus> = {
  opening: 'pending',
  unopened: 'expired',
  pending: 'pending',
  expiring: 'pending',
  expired: 'expired',
  held: 'clientfunded',
  locking: 'clientfunded',
  locked: 'serverfunded',
  refunding: 'serverfunded',
  refunded: 'clientfundedserverrefunded',
  returned: 'clientrefundedserverrefunded',
  claimed: 'clientredeemed',
  settled: 'serverredeemed',
  lost: 'clientredeemedandclientrefunded',
  declining: 'serverwontfund',
  declined: 'serverwontfund',
};

const ended: ReadonlySet<P['at']> = new Set(['unopened', 'expired', 'returned', 'settled', 'lost', 'declined']);

/** The held payment is with the client again, or there never was one and never will be. */
function wentBack(event: Event): boolean {
  return event.is === 'hold.cancelled' || (event.is === 'hold.seen' && event.state.is === 'cancelled');
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'opening':
      return whenOpening(t, event, now);
    case 'pending':
      return whenPending(t, p, event, now);
    case 'expiring':
      // A payment that arrived in the last moment goes back with the cancellation.
      return wentBack(event) ? move<P>({ at: 'expired', ...invoiceOf(p) }) : 'stay';
    case 'held':
      return whenHeld(t, p, event, now);
    case 'locking':
      return whenLocking(t, p, event, now, locking);
    case 'locked':
      return whenLocked<T, Locked, P>(t, p, event, now, fate);
    case 'refunding':
      return whenRefunding<T, Locked, P>(t, p, event, now, fate);
    case 'refunded':
      return wentBack(event) ? move<P>({ ...p, at: 'returned' }) : 'stay';
    case 'claimed':
      return whenClaimed(t, p, event, now);
    case 'settled':
    case 'lost':
      return whenOver(t, p, event, now);
    case 'declining':
      return wentBack(event) ? move<P>({ at: 'declined', reason: p.reason, ...invoiceOf(p) }) : 'stay';
    default:
      return 'stay';
  }
}

function watches(t: T, p: P): Watch[] {
  const hold: Watch = { on: 'hold', hash: t.hash };
  const vhtlc = lockWatch(t);
  switch (p.at) {
    case 'pending':
    case 'expiring':
    case 'held':
    case 'declining':
    case 'refunded':
      return [hold];
    case 'claimed':
      return p.racing === undefined ? [hold] : [hold, vhtlc];
    case 'settled':
    case 'lost':
      return p.racing === undefined ? [] : [vhtlc];
    case 'locking':
      return [vhtlc];
    case 'locked':
    case 'refunding':
      return [vhtlc, queueWatch(t, p)];
    default:
      return [];
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'opening':
    case 'pending':
      return t.fundBefore;
    case 'held':
      return t.lockBefore;
    case 'locked':
    case 'refunding':
      return t.vhtlc.refundLocktime;
    default:
      return null;
  }
}

const nextActions: Record<P['at'], string> = {
  opening: 'we create the invoice',
  unopened: 'nothing: it was never opened',
  pending: 'the client pays the invoice',
  expiring: 'we cancel the invoice',
  expired: 'nothing: it expired',
  held: 'we lock the VHTLC',
  locking: 'the operator takes our VHTLC',
  locked: 'the client claims the VHTLC',
  refunding: 'we take our VHTLC back',
  refunded: 'we give the held payment back',
  returned: 'nothing: both sides have their money back',
  claimed: 'we settle the held payment',
  settled: 'nothing: it is done',
  lost: 'nothing: the payment is gone',
  declining: 'we give the held payment back',
  declined: 'nothing: the payment went back',
};

export const lightningArkade: Machine<T, P> = {
  name: 'lightning-arkade',
  shape,
  notes: ['invoice'],
  step,
  watches,
  deadline,
  status: (p) => statuses[p.at],
  open: (_, p) => !ended.has(p.at) || ((p.at === 'settled' || p.at === 'lost') && p.racing !== undefined),
  reserves: (p) => p.at === 'opening' || p.at === 'pending' || p.at === 'held',
  untold: (p) => p.at === 'unopened',
  hash160: (t) => t.vhtlc.hash,
  unfunded: {
    ends: ['expired', 'unopened'],
    locktime: ({ vhtlc }) => vhtlc.refundLocktime,
    script: ({ script }) => script,
  },
  rescue,
  nextAction: (_, p) => nextActions[p.at],
};
