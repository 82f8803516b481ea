import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { bothLockedStatuses, givenBackStatus } from '../both-locked.ts';
import type { Event, Machine, Outcome, Watch } from '../machine.ts';
import { whenFunded } from '../onchain-source/funding.ts';
import { leftDeadline, whenOver as whenLeft, whenStopped } from '../onchain-source/over.ts';
import { coinsWatch } from '../onchain-source/watches.ts';
import { addressOpen } from '../source.ts';
import { whenLocked } from '../vhtlc-target/locked.ts';
import { whenLocking } from '../vhtlc-target/locking.ts';
import { whenRefunding } from '../vhtlc-target/refunding.ts';
import { lockWatch, queueWatch } from '../vhtlc-target/watches.ts';
import { fate } from './fate.ts';
import { locking, whenFundedNow, whenWaiting } from './locking.ts';
import { whenOver, whenRedeemed, whenReturned } from './over.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms, Locked } from './terms.ts';

type P = BitcoinArkadeProgress;
type T = BitcoinArkadeTerms;

const statuses: Record<Exclude<P['at'], 'stopped' | 'refunded' | 'claiming'>, SwapStatus> = {
  ...bothLockedStatuses,
  locking: 'clientfunded',
};

function status(p: P): SwapStatus {
  switch (p.at) {
    case 'stopped':
    case 'refunded':
      return givenBackStatus(p);
    case 'claiming':
      return p.mined === null ? 'clientredeemed' : 'serverredeemed';
    default:
      return statuses[p.at];
  }
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'pending':
    case 'seen':
      return whenWaiting(t, p, event, now);
    case 'funded':
      return whenFundedNow(t, p, event, now);
    case 'locking':
      return event.is === 'htlc.seen' ? whenFunded(t, p, event) : whenLocking(t, p, event, now, locking);
    case 'locked':
      return event.is === 'htlc.seen' ? whenFunded(t, p, event) : whenLocked<T, Locked, P>(t, p, event, now, fate);
    case 'refunding':
      return event.is === 'htlc.seen' ? whenFunded(t, p, event) : whenRefunding<T, Locked, P>(t, p, event, now, fate);
    case 'claiming':
      return whenRedeemed(t, p, event, now);
    case 'claimed':
    case 'lost':
      return whenOver(t, p, event, now);
    case 'returned':
      return whenReturned(t, p, event, now);
    case 'stopped':
      return whenStopped(t, p, event, now);
    case 'refunded':
      return whenLeft(t, p, event, now);
    case 'lapsed':
      return 'stay';
  }
}

function watches(t: T, p: P): Watch[] {
  if (p.at === 'lapsed') return [];
  const coins = coinsWatch(t, p);
  switch (p.at) {
    case 'locking':
      return [coins, lockWatch(t)];
    case 'locked':
    case 'refunding':
      return [coins, lockWatch(t), queueWatch(t, p)];
    case 'claiming':
    case 'claimed':
    case 'lost':
      return p.racing === undefined ? [coins] : [coins, lockWatch(t)];
    default:
      return [coins];
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'pending':
      return t.fundBefore; // for the owner's list: the first look after it ends the swap
    case 'seen':
    case 'funded':
      return t.lockBefore;
    case 'locked':
    case 'refunding':
      return t.vhtlc.refundLocktime;
    case 'claiming':
      return t.htlc.refundLocktime; // for the owner's list: our claim goes on past it
    case 'claimed':
    case 'lost':
    case 'returned':
    case 'stopped':
    case 'refunded':
      return leftDeadline(t, p);
    default:
      return null;
  }
}

function open(_: T, p: P): boolean {
  return addressOpen(p) || ((p.at === 'claimed' || p.at === 'lost') && p.racing !== undefined);
}

const nextActions: Record<P['at'], string> = {
  pending: 'the client sends its bitcoin',
  seen: "the miners: the client's transaction waits for its confirmations",
  funded: 'we lock the VHTLC',
  locking: 'the operator takes our VHTLC',
  locked: 'the client claims the VHTLC',
  refunding: 'we take our VHTLC back',
  claiming: 'we claim the bitcoin',
  claimed: 'nothing: it is done',
  lost: 'nothing: the bitcoin is gone',
  returned: 'the client takes the refund',
  stopped: 'the client takes the refund',
  lapsed: 'nothing: it is over',
  refunded: 'nothing: it is over',
};

function nextAction(t: T, p: P): string {
  if (p.at !== 'stopped' && p.at !== 'returned') return nextActions[p.at];
  return p.strays.length === 0
    ? 'nothing: it was never funded'
    : `${nextActions[p.at]}, alone, once median time past is above ${t.htlc.refundLocktime}`;
}

export const bitcoinArkade: Machine<T, P> = {
  name: 'bitcoin-arkade',
  shape,
  step,
  watches,
  deadline,
  status,
  open,
  reserves: (p) => p.at === 'pending' || p.at === 'seen' || p.at === 'funded',
  untold: () => false,
  hash160: (t) => t.hash,
  unfunded: { ends: ['lapsed'], locktime: ({ htlc }) => htlc.refundLocktime, script: ({ script }) => script },
  rescue,
  nextAction,
};
