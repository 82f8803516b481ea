import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { Event, Machine, Outcome, Watch } from '../machine.ts';
import { isLate, payoutStatuses } from '../payment.ts';
import { addressOpen, stoppedStatuses } from '../source.ts';
import { whenClaiming } from '../vhtlc-source/claiming.ts';
import { leftDeadline, whenLapsed, whenOver } from '../vhtlc-source/over.ts';
import { whenRefunded, whenStopped } from './over.ts';
import { ends, whenPending, whilePaying } from './paying.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

function status(p: P): SwapStatus {
  return p.at === 'stopped' ? stoppedStatuses[p.why] : payoutStatuses[p.at];
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'pending':
      return whenPending(t, p, event, now);
    case 'funded':
    case 'paying':
      return whilePaying(t, p, event, now);
    case 'claiming':
      return whenClaiming(t, p, event, now, ends(t));
    case 'stopped':
      return whenStopped(t, p, event, now);
    case 'claimed':
    case 'lost':
      return whenOver(t, p, event, now);
    case 'lapsed':
      return whenLapsed(p, event);
    case 'refunded':
      return whenRefunded(t, p, event, now);
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
    case 'claimed':
    case 'lost':
    case 'refunded':
      return leftDeadline(t, p);
    default:
      return null;
  }
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
  open: (_, p) => addressOpen(p) || isLate(p),
  reserves: (p) => p.at === 'pending' || p.at === 'funded',
  untold: () => false,
  hash160: (t) => t.vhtlc.hash,
  unfunded: { ends: ['lapsed'], locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
  rescue,
  nextAction,
};
