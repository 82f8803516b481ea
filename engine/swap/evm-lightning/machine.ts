import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks } from '../../domain/time.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { whenClaiming } from '../evm-source/claiming.ts';
import { whenOver } from '../evm-source/over.ts';
import { lockAction, lockDeadline, lockOpen, lockWatches } from '../evm-source/standing.ts';
import { timelockOf } from '../evm-source/terms.ts';
import type { Event, Machine, Outcome, Watch } from '../machine.ts';
import { isLate, payoutStatuses } from '../payment.ts';
import { stoppedStatuses } from '../source.ts';
import { whenRefunded, whenStopped } from './over.ts';
import { ends, whileFunding, whilePaying } from './paying.ts';
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
  // Until the payment was started the node knows nothing of its hash; the effect that starts it asks by itself.
  const payment: Watch[] = p.at === 'paying' || isLate(p) ? [{ on: 'payment', hash: t.hash }] : [];
  return [...payment, ...lockWatches(t, p)];
}

function nextAction(t: T, p: P): string {
  if (p.at === 'refunded' && isLate(p)) return 'nothing, unless a payment arrives that was called off';
  switch (p.at) {
    case 'funded':
      return 'we pay the invoice';
    case 'paying':
      return 'the Lightning network carries the payment';
    default:
      return lockAction(t, p);
  }
}

export const evmLightning: Machine<T, P> = {
  name: 'evm-lightning',
  shape,
  notes: ['payment', 'refund'],
  step,
  watches,
  deadline: lockDeadline,
  status,
  open: (_, p) => lockOpen(p) || isLate(p),
  reserves: (p) => p.at === 'pending' || p.at === 'seen' || p.at === 'funded',
  untold: () => false,
  hash160: (t) => hash160OfSha256(t.hash),
  unfunded: { ends: ['lapsed'], locktime: timelockOf, script: () => null },
  rescue,
  nextAction,
};
