import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { move, type Event, type Machine, type Outcome, type Watch } from '../machine.ts';
import { hasUnspent, sameStrays, straysBeside } from '../source.ts';
import { whenClaiming } from './claiming.ts';
import { askedFor, latePayment, leftAlone, leftAloneAt, whenOver, whenStopped } from './over.ts';
import { whenPending, whilePaying } from './paying.ts';
import { reducing } from './reducing.ts';
import { shape } from './shape.ts';
import { stop, type ArkadeLightningProgress, type ArkadeLightningTerms, type StoppedFor } from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

const stoppedStatuses: Record<StoppedFor, SwapStatus> = {
  expired: 'expired',
  invalid: 'clientinvalidfunded',
  late: 'clientfundedtoolate',
  wont: 'serverwontfund',
};

function status(p: P): SwapStatus {
  switch (p.at) {
    case 'pending':
      return 'pending';
    case 'funded':
      return 'clientfunded';
    case 'paying':
      return 'serverfunded';
    case 'claiming':
      return 'clientredeemed';
    case 'claimed':
      return 'serverredeemed';
    case 'lost':
      return 'clientredeemedandclientrefunded';
    case 'stopped':
      return stoppedStatuses[p.why];
    case 'lapsed':
      return 'expired';
    case 'refunded':
      return 'clientrefunded';
  }
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'pending':
      return whenPending(t, p, event, now);
    case 'funded':
    case 'paying':
      return whilePaying(t, p, event, now);
    case 'claiming':
      return whenClaiming(t, p, event, now);
    case 'stopped':
      return whenStopped(t, p, event, now);
    case 'claimed':
    case 'lost':
      return whenOver(t, p, event, now);
    case 'lapsed':
      if (event.is === 'refund.cosign.requested') return move<P>(p.fenced ? p : { at: 'lapsed', fenced: true });
      return event.is === 'vhtlc.seen' && event.coins.length > 0
        ? stop('late', 'the coin came after the funding window', p.fenced, straysBeside(event.coins, null, []))
        : 'stay';
    case 'refunded': {
      if (event.is === 'clock') return leftAlone(t, p, now);
      if (event.is === 'payment.seen') return p.late === undefined ? 'stay' : latePayment(t, p, event.state, now);
      if (event.is !== 'vhtlc.seen') return event.is === 'refund.cosign.requested' ? move<P>(askedFor(p, now)) : 'stay';
      const strays = straysBeside(event.coins, null, p.strays);
      return sameStrays(strays, p.strays) ? 'stay' : move<P>({ ...p, strays });
    }
  }
}

function watches(t: T, p: P): Watch[] {
  const vhtlc: Watch = { on: 'vhtlc', terms: t.vhtlc, script: t.script };
  const payment: Watch = { on: 'payment', hash: t.hash };
  // Until the payment was started the node knows nothing of its hash; the effect that starts it asks by itself.
  return p.at === 'paying' || isLate(p) ? [payment, vhtlc] : [vhtlc];
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'pending':
      return t.fundBefore; // for the owner's list: the first look after it ends the swap
    case 'stopped':
      if (p.unwatched === true) return null;
      return p.strays.length === 0 ? t.vhtlc.refundLocktime : leftAloneAt(t, p);
    case 'claimed':
    case 'lost':
    case 'refunded':
      return hasUnspent(p.strays) && p.unwatched !== true ? leftAloneAt(t, p) : null;
    default:
      return null;
  }
}

/** An address may be paid late: it is watched until nothing is owed and the client can help itself. */
function open(_: T, p: P): boolean {
  switch (p.at) {
    case 'claimed':
    case 'refunded':
    case 'lost':
      return (hasUnspent(p.strays) && p.unwatched !== true) || isLate(p);
    case 'stopped':
      return p.unwatched !== true || isLate(p);
    case 'lapsed':
      return false;
    default:
      return true;
  }
}

/** Called off, and its payment may still come. */
function isLate(p: P): boolean {
  return (p.at === 'stopped' || p.at === 'refunded') && p.late !== undefined;
}

function nextAction(t: T, p: P): string {
  if (p.at === 'refunded' && isLate(p)) return 'nothing, unless a payment arrives that was called off';
  switch (p.at) {
    case 'pending':
      return 'the client funds the VHTLC';
    case 'funded':
      return 'we pay the invoice';
    case 'paying':
      return 'the Lightning network carries the payment';
    case 'claiming':
      return 'we claim the VHTLC';
    case 'stopped':
      return p.strays.length === 0
        ? 'nothing: it was never funded'
        : `the client takes the refund, alone from ${t.vhtlc.refundLocktime} on`;
    default:
      return 'nothing: it is over';
  }
}

export const arkadeLightning: Machine<T, P> = {
  name: 'arkade-lightning',
  shape,
  notes: ['payment', 'refund'],
  step,
  watches,
  deadline,
  status,
  open,
  reserves: (p) => p.at === 'pending' || p.at === 'funded',
  untold: () => false,
  hash160: (t) => t.vhtlc.hash,
  reducing,
  nextAction,
};
