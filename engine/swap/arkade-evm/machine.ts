import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { EvmPurpose } from '../../legs/evm/acts.ts';
import { bothLockedStatuses, givenBackStatus } from '../both-locked.ts';
import type { Event, Machine, Outcome, Watch } from '../machine.ts';
import { addressOpen } from '../source.ts';
import { leftDeadline, whenLapsed, whenOver, whenRefunded } from '../vhtlc-source/over.ts';
import { whenClaimed } from './claimed.ts';
import { whenFunded, whenLocking, whenPending } from './locking.ts';
import { whenLocked } from './locked.ts';
import { whenRedeemed, whenReturned, whenStopped } from './over.ts';
import { whenRefunding } from './refunding.ts';
import { rescue } from './rescue.ts';
import { ourLock } from './seen.ts';
import { shape } from './shape.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms } from './terms.ts';

type P = ArkadeEvmProgress;
type T = ArkadeEvmTerms;

const statuses: Record<Exclude<P['at'], 'stopped' | 'refunded'>, SwapStatus> = {
  ...bothLockedStatuses,
  locking: 'clientfunded',
  relaying: 'clientredeeming',
  relayed: 'clientredeeming',
  claiming: 'clientredeemed',
};

function status(p: P): SwapStatus {
  return p.at === 'stopped' || p.at === 'refunded' ? givenBackStatus(p) : statuses[p.at];
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'pending':
      return whenPending(t, p, event, now);
    case 'funded':
      return whenFunded(t, p, event, now);
    case 'locking':
      return whenLocking(t, p, event, now);
    case 'locked':
    case 'relaying':
    case 'relayed':
      return whenLocked(t, p, event, now);
    case 'refunding':
      return whenRefunding(t, p, event, now);
    case 'claiming':
      return whenRedeemed(t, p, event, now);
    case 'claimed':
      return whenClaimed(t, p, event, now);
    case 'lost':
      return whenOver(t, p, event, now);
    case 'returned':
      return whenReturned(t, p, event, now);
    case 'stopped':
      return whenStopped(t, p, event, now);
    case 'lapsed':
      return whenLapsed(p, event);
    case 'refunded':
      return whenRefunded(t, p, event, now);
  }
}

function watches(t: T, p: P): Watch[] {
  const { network, contracts } = t;
  const vhtlc: Watch = { on: 'vhtlc', terms: t.vhtlc, script: t.script };
  const { htlc } = contracts;
  const lock: Watch = { on: 'evm-lock', network, htlc, hash: t.hash, wanted: ourLock(t), since: t.since };
  const sent = (purpose: EvmPurpose, txid: Txid | null): Watch[] =>
    txid === null ? [] : [{ on: 'evm-sent', network, purpose, txid }];
  switch (p.at) {
    case 'funded':
      return [vhtlc, lock];
    case 'locking':
    case 'locked':
      return [vhtlc, lock, ...sent('lock', p.sent)];
    case 'relaying':
    case 'relayed':
      return [vhtlc, lock, ...sent('lock', p.sent), ...sent('relay-claim', p.relay.txid)];
    case 'refunding':
      return [
        vhtlc,
        lock,
        ...sent('lock', p.sent),
        ...sent('relay-claim', p.relay?.txid ?? null),
        ...sent('refund', p.refundTxid),
      ];
    case 'claiming':
      // Under which fee our relay was mined is asked until it is clear whose transaction the claim was.
      return [vhtlc, lock, ...sent('relay-claim', p.relay?.by === undefined ? (p.relay?.txid ?? null) : null)];
    case 'claimed':
      return p.shallow === undefined ? [vhtlc] : [vhtlc, lock, ...sent('relay-claim', p.relay?.txid ?? null)];
    case 'stopped':
      return p.doubt === undefined ? [vhtlc] : [vhtlc, lock];
    default:
      return [vhtlc];
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'pending':
      return t.fundBefore; // for the owner's list: the first look after it ends the swap
    case 'locked':
    case 'relaying':
    case 'relayed':
    case 'refunding':
      return Number(t.lock.timelock) as Unix;
    case 'stopped':
    case 'claimed':
    case 'lost':
    case 'refunded':
    case 'returned':
      return leftDeadline(t, p);
    default:
      return null;
  }
}

function open(_: T, p: P): boolean {
  return addressOpen(p) || (p.at === 'claimed' && p.shallow !== undefined);
}

const nextActions: Record<P['at'], string> = {
  pending: 'the client funds the VHTLC',
  funded: 'we lock on the EVM chain',
  locking: 'the EVM chain takes our lock',
  locked: 'the client claims our lock',
  relaying: "we send the client's claim",
  relayed: "the EVM chain takes the client's claim",
  refunding: 'we take our lock back',
  claiming: 'we claim the VHTLC',
  claimed: 'nothing: it is over',
  lost: 'nothing: it is over',
  returned: 'the client takes the refund',
  stopped: 'the client takes the refund',
  lapsed: 'nothing: it is over',
  refunded: 'nothing: it is over',
};

function nextAction(t: T, p: P): string {
  if (p.at === 'claimed' && p.shallow !== undefined)
    return p.shallow.missing === undefined
      ? "the EVM chain buries the client's claim"
      : 'the client claims our lock once more: a reorganisation took its claim';
  if (p.at !== 'stopped' && p.at !== 'returned') return nextActions[p.at];
  return p.strays.length === 0
    ? 'nothing: it was never funded'
    : `${nextActions[p.at]}, alone from ${t.vhtlc.refundLocktime} on`;
}

export const arkadeEvm: Machine<T, P> = {
  name: 'arkade-evm',
  shape,
  notes: ['refund'],
  step,
  watches,
  deadline,
  status,
  open,
  reserves: (p) => p.at === 'pending' || p.at === 'funded' || p.at === 'locking',
  untold: () => false,
  hash160: (t) => t.vhtlc.hash,
  unfunded: { ends: ['lapsed'], locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
  rescue,
  nextAction,
};
