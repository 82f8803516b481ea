import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { whenClaiming } from '../evm-source/claiming.ts';
import { hasUntaken } from '../evm-source/locks.ts';
import { leftDeadline, leftOpen, whenOver } from '../evm-source/over.ts';
import { timelockOf } from '../evm-source/terms.ts';
import type { Event, Machine, Outcome, Watch } from '../machine.ts';
import { isLate, payoutStatuses } from '../payment.ts';
import { stoppedStatuses } from '../source.ts';
import { whenRefunded, whenStopped } from './over.ts';
import { ends, whileFunding, whilePaying } from './paying.ts';
import { reducing } from './reducing.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

type P = EvmLightningProgress;
type T = EvmLightningTerms;

const statuses: Record<Exclude<P['at'], 'stopped'>, SwapStatus> = {
  ...payoutStatuses,
  seen: 'clientfundingseen',
};

function status(p: P): SwapStatus {
  return p.at === 'stopped' ? stoppedStatuses[p.why] : statuses[p.at];
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'pending':
    case 'seen':
      return whileFunding(t, p, event, now);
    case 'funded':
    case 'paying':
      return whilePaying(t, p, event, now);
    case 'claiming':
      return whenClaiming(t, p, event, ends(t));
    case 'stopped':
      return whenStopped(t, p, event, now);
    case 'claimed':
    case 'lost':
      return whenOver(t, p, event, now);
    case 'refunded':
      return whenRefunded(t, p, event, now);
    case 'lapsed':
      return 'stay';
  }
}

function watches(t: T, p: P): Watch[] {
  if (p.at === 'lapsed') return [];
  const { network, hash, since } = t;
  const { htlc, coordinator } = t.contracts;
  const sent = p.sent.map(({ purpose, txid }): Watch => ({ on: 'evm-sent', network, purpose, txid }));
  // Until the payment was started the node knows nothing of its hash; the effect that starts it asks by itself.
  const payment: Watch[] = p.at === 'paying' || isLate(p) ? [{ on: 'payment', hash }] : [];
  return [...payment, { on: 'evm-lock', network, htlc, coordinator, hash, since }, ...sent];
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'pending':
      return t.fundBefore; // for the owner's list: the first look after it ends the swap
    case 'seen':
      return t.payBefore;
    case 'stopped':
    case 'claimed':
    case 'lost':
    case 'refunded':
      return leftDeadline(t, p);
    default:
      return null;
  }
}

/** A lock may be made late: it is watched until nothing is owed and the client can help itself. */
function open(_: T, p: P): boolean {
  switch (p.at) {
    case 'claimed':
    case 'lost':
      return leftOpen(p);
    case 'refunded':
      return leftOpen(p) || isLate(p);
    case 'stopped':
      return !p.unwatched || p.sent.length > 0 || isLate(p);
    case 'lapsed':
      return false;
    default:
      return true;
  }
}

function nextAction(t: T, p: P): string {
  if (p.at === 'refunded' && isLate(p)) return 'nothing, unless a payment arrives that was called off';
  switch (p.at) {
    case 'pending':
      return p.relay === null ? 'the client locks its token' : 'the chain takes the funding that we relay';
    case 'seen':
      return 'the chain buries the lock';
    case 'funded':
      return 'we pay the invoice';
    case 'paying':
      return 'the Lightning network carries the payment';
    case 'claiming':
      return 'we claim the lock';
    case 'stopped':
      return hasUntaken(p.strays)
        ? `the client takes the refund, alone from ${timelockOf(t)} on`
        : 'nothing: it was never funded';
    default:
      return 'nothing: it is over';
  }
}

export const evmLightning: Machine<T, P> = {
  name: 'evm-lightning',
  shape,
  notes: ['payment', 'refund'],
  step,
  watches,
  deadline,
  status,
  open,
  reserves: (p) => p.at === 'pending' || p.at === 'seen' || p.at === 'funded',
  untold: () => false,
  hash160: (t) => hash160OfSha256(t.hash),
  reducing,
  rescue,
  nextAction,
};
