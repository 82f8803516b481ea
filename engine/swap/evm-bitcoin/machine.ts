import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { hasUntaken } from '../evm-source/locks.ts';
import { leftDeadline, leftOpen } from '../evm-source/over.ts';
import { timelockOf } from '../evm-source/terms.ts';
import type { Event, Machine, Outcome, Watch } from '../machine.ts';
import { htlcWatch } from '../onchain-target/seen.ts';
import { isSettled } from '../onchain-target/terms.ts';
import { stoppedStatuses } from '../source.ts';
import { whenFunded, whileFunding } from './funding.ts';
import { whenLocked } from './locked.ts';
import { whenOver, whenRefunded, whenReturned, whenRevealed, whenStopped } from './over.ts';
import { reducing } from './reducing.ts';
import { lastClaimTime, whenRefunding } from './refunding.ts';
import { whenSending } from './sending.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

type P = EvmBitcoinProgress;
type T = EvmBitcoinTerms;

const statuses: Record<Exclude<P['at'], 'stopped' | 'refunded'>, SwapStatus> = {
  pending: 'pending',
  seen: 'clientfundingseen',
  funded: 'clientfunded',
  funding: 'clientfunded',
  locked: 'serverfunded',
  refunding: 'serverfunded',
  claiming: 'clientredeemed',
  claimed: 'serverredeemed',
  lost: 'clientredeemedandclientrefunded',
  returned: 'clientfundedserverrefunded',
  lapsed: 'expired',
};

function status(p: P): SwapStatus {
  if (p.at === 'stopped') return stoppedStatuses[p.why];
  if (p.at === 'refunded') return p.returned === undefined ? 'clientrefunded' : 'clientrefundedserverrefunded';
  return statuses[p.at];
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
  if (p.at === 'lapsed') return [];
  const { network, hash, since } = t;
  const { htlc, coordinator } = t.contracts;
  const sent = p.sent.map(({ purpose, txid }): Watch => ({ on: 'evm-sent', network, purpose, txid }));
  return [...coinWatch(t, p), { on: 'evm-lock', network, htlc, coordinator, hash, since }, ...sent];
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'pending':
      return t.fundBefore; // for the owner's list: the first look after it ends the swap
    case 'seen':
      return t.payBefore;
    case 'locked':
      return t.htlc.refundLocktime;
    case 'refunding':
      return p.redeem === undefined ? null : lastClaimTime(t);
    case 'stopped':
    case 'claimed':
    case 'lost':
    case 'refunded':
      return leftDeadline(t, p);
    case 'returned':
      return p.unwatched ? null : leftDeadline(t, { ...p, at: 'stopped' });
    default:
      return null;
  }
}

/** A lock may be made late: it is watched until nothing is owed and the client can help itself. */
function open(_: T, p: P): boolean {
  switch (p.at) {
    case 'claimed':
    case 'lost':
      return !isSettled(p) || leftOpen(p);
    case 'refunded':
      return leftOpen(p);
    case 'stopped':
    case 'returned':
      return !p.unwatched || p.sent.length > 0;
    case 'lapsed':
      return false;
    default:
      return true;
  }
}

function nextAction(t: T, p: P): string {
  switch (p.at) {
    case 'pending':
      return p.relay === null ? 'the client locks its token' : 'the chain takes the funding that we relay';
    case 'seen':
      return 'the chain buries the lock';
    case 'funded':
      return 'we fund our part on the Bitcoin chain';
    case 'funding':
      return 'the Bitcoin chain takes our funding';
    case 'locked':
      return 'the client claims our coin';
    case 'refunding':
      return p.redeem === undefined ? 'we take our coin back' : 'the miners: our refund and the client’s claim race';
    case 'claiming':
      return 'we claim the lock';
    case 'claimed':
      return isSettled(p) ? 'nothing: it is over' : 'the miners bury what took our coin';
    case 'lost':
      return isSettled(p) ? 'nothing: it is over' : 'we take our coin back, unless the client’s claim is mined';
    case 'stopped':
    case 'returned':
      return hasUntaken(p.strays)
        ? `the client takes the refund, alone from ${timelockOf(t)} on`
        : 'nothing: it was never funded';
    default:
      return 'nothing: it is over';
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
  reducing,
  rescue,
  nextAction,
};
