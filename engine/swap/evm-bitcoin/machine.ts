import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { bothLockedStatuses, givenBackStatus } from '../both-locked.ts';
import { lockAction, lockDeadline, lockOpen, lockWatches } from '../evm-source/standing.ts';
import { timelockOf } from '../evm-source/terms.ts';
import type { Event, Machine, Outcome, Watch } from '../machine.ts';
import { htlcWatch } from '../onchain-target/seen.ts';
import { isSettled } from '../onchain-target/terms.ts';
import { whenFunded, whileFunding } from './funding.ts';
import { whenLocked } from './locked.ts';
import { whenOver, whenRefunded, whenReturned, whenRevealed, whenStopped } from './over.ts';
import { lastClaimTime, whenRefunding } from './refunding.ts';
import { whenSending } from './sending.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

type P = EvmBitcoinProgress;
type T = EvmBitcoinTerms;

const statuses: Record<Exclude<P['at'], 'stopped' | 'refunded'>, SwapStatus> = {
  ...bothLockedStatuses,
  funding: 'clientfunded',
  claiming: 'clientredeemed',
};

function status(p: P): SwapStatus {
  return p.at === 'stopped' || p.at === 'refunded' ? givenBackStatus(p) : statuses[p.at];
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'pending':
    case 'seen':
      return whileFunding(t, p, event, now);
    case 'funded':
      return whenFunded(t, p, event);
    case 'funding':
      return whenSending(t, p, event);
    case 'locked':
      return whenLocked(t, p, event, now);
    case 'refunding':
      return whenRefunding(t, p, event, now);
    case 'claiming':
      return whenRevealed(t, p, event);
    case 'claimed':
    case 'lost':
      return whenOver(t, p, event, now);
    case 'returned':
      return whenReturned(t, p, event, now);
    case 'stopped':
      return whenStopped(t, p, event, now);
    case 'refunded':
      return whenRefunded(t, p, event, now);
    case 'lapsed':
      return 'stay';
  }
}

function coinWatch(t: T, p: P): Watch[] {
  switch (p.at) {
    case 'funded':
      return [htlcWatch(t, null)];
    case 'funding':
    case 'locked':
    case 'refunding':
      return [htlcWatch(t, p)];
    case 'claiming':
    case 'claimed':
    case 'lost':
      return p.end === null ? [htlcWatch(t, p)] : [];
    case 'stopped':
      return p.doubt === undefined ? [] : [htlcWatch(t, p.doubt.placed)];
    default:
      return [];
  }
}

function watches(t: T, p: P): Watch[] {
  return p.at === 'lapsed' ? [] : [...coinWatch(t, p), ...lockWatches(t, p)];
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'locked':
      return t.htlc.refundLocktime;
    case 'refunding':
      return p.redeem === undefined ? null : lastClaimTime(t);
    default:
      return lockDeadline(t, p);
  }
}

function open(_: T, p: P): boolean {
  return lockOpen(p) || ((p.at === 'claimed' || p.at === 'lost') && !isSettled(p));
}

function nextAction(t: T, p: P): string {
  switch (p.at) {
    case 'funded':
      return 'we fund our part on the Bitcoin chain';
    case 'funding':
      return 'the Bitcoin chain takes our funding';
    case 'locked':
      return 'the client claims our coin';
    case 'refunding':
      return p.redeem === undefined ? 'we take our coin back' : 'the miners: our refund and the client’s claim race';
    case 'claimed':
      return isSettled(p) ? 'nothing: it is over' : 'the miners bury what took our coin';
    case 'lost':
      return isSettled(p) ? 'nothing: it is over' : 'we take our coin back, unless the client’s claim is mined';
    default:
      return lockAction(t, p);
  }
}

export const evmBitcoin: Machine<T, P> = {
  name: 'evm-bitcoin',
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
  unfunded: { ends: ['lapsed'], locktime: timelockOf, script: () => null },
  rescue,
  nextAction,
};
