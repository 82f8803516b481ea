import type { Txid } from '../../../../domain/outpoint.ts';
import { lookedAfter } from '../../../../domain/time.ts';
import type { EvmPurpose } from '../../../../legs/evm/acts.ts';
import type { FundHalf } from '../../fund.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import type { Watch } from '../../../machine.ts';
import { lockLeg } from '../../../rescue.ts';
import { lockEffect, lockSeen, whenFunded, whenLocking } from './locking.ts';
import { whenLocked } from './locked.ts';
import { lossOf, resumeLost, whenLost, whileLost } from './lost.ts';
import { resumeRefund, whenRefunding } from './refunding.ts';
import { onceClaimed, whileClaiming, whileShallow } from './revealed.ts';
import { ourLock, ownLock } from './seen.ts';
import {
  evmFund,
  revealedOf,
  type EvmFund,
  type EvmTargetTerms,
  type Relay,
  type Revealed,
  type Stage,
} from './terms.ts';

type Any =
  Stage | (Revealed & { readonly at: 'claiming' | 'claimed' | 'lost' }) | { readonly at: 'stopped' | 'refunded' };

/** We lock on an EVM chain, and the client claims there. */
export const fundOnEvm: FundHalf<EvmTargetTerms, EvmFund> = {
  leg: 'evm',
  fields: evmFund,
  standing(t, p, event, now, backing) {
    switch (p.at) {
      case 'funded':
        return whenFunded(t, p, event, now);
      case 'locking':
        return whenLocking(t, p, event, now);
      case 'locked':
      case 'relaying':
      case 'relayed':
        return whenLocked(t, p, event, now, backing);
      case 'refunding':
        return whenRefunding(t, p, event, now, backing);
    }
  },
  // A lock that is signed is the account's to send, and a claim that a client asked for its own to ask for again.
  resume(t, p, backing) {
    switch (p.at) {
      case 'funded':
        return p.halted === undefined ? [lockEffect(t, backing.onlyIf)] : [];
      case 'refunding':
        return resumeRefund(t, p, backing);
      default:
        return [];
    }
  },
  resumeRevealed: resumeLost,
  revealed(t, p, event, now, surety) {
    if (p.at === 'lost') return p.back === undefined ? null : whileLost(t, { ...p, back: p.back }, event, now, surety);
    if (p.at === 'claiming') return whileClaiming(t, p, event);
    return p.at === 'claimed' && p.shallow !== undefined
      ? whileShallow(t, p as typeof p & { shallow: NonNullable<Revealed['shallow']> }, event, now)
      : null;
  },
  onceClaimed,
  lost: whenLost,
  loss: lossOf,
  begin: lockEffect,
  isPaidBack: () => false,
  afterReturn: () => null,
  rescueBack: (t, p) => ('back' in p && p.back !== undefined ? lockLeg(t) : null),
  resend: () => null,
  kept: revealedOf,
  doubted(t, p, event) {
    if (p === null) return lockSeen(t, null, event);
    if (ownLock(t, event) !== null) return lockSeen(t, null, event) ?? 'stay';
    return event.is === 'evm.seen' && event.network === t.network && lookedAfter(p.since, event.asked)
      ? { fact: 'settled' }
      : null;
  },
  forbidsRefund: () => true,
  isPayment: false,
  outlasts: true,
  watches(t, state) {
    const p = state as Any;
    const { network, contracts, hash, since } = t;
    const lock: Watch = { on: 'evm-lock', network, htlc: contracts.htlc, hash, wanted: ourLock(t), since };
    const sent = (purpose: EvmPurpose, txid: Txid | null): Watch[] =>
      txid === null ? [] : [{ on: 'evm-sent', network, purpose, txid }];
    const relayed = (relay: Relay | null): Watch[] => sent('relay-claim', relay?.txid ?? null);
    switch (p.at) {
      case 'funded':
      case 'stopped':
      case 'refunded':
        return [lock];
      case 'locking':
      case 'locked':
        return [lock, ...sent('lock', p.sent)];
      case 'relaying':
      case 'relayed':
        return [lock, ...sent('lock', p.sent), ...relayed(p.relay)];
      case 'refunding':
        return [lock, ...sent('lock', p.sent), ...relayed(p.relay), ...sent('refund', p.refundTxid)];
      case 'claiming':
        // Under which fee our relay was mined is asked until it is clear whose transaction the claim was.
        return [lock, ...(p.relay?.by === undefined ? relayed(p.relay) : [])];
      case 'claimed':
        return p.shallow === undefined ? [] : [lock, ...relayed(p.relay)];
      case 'lost':
        return p.back === undefined ? [] : [lock, ...sent('refund', p.back.refundTxid)];
    }
  },
  deadline: (t, { at }) => (at === 'funded' || at === 'locking' ? null : lockEnd(t)),
  open: ({ shallow, back }) => shallow !== undefined || back !== undefined,
  reserves: ({ at }) => at === 'funded' || at === 'locking',
  action(p) {
    switch (p.at) {
      case 'funded':
        return 'we lock on the EVM chain';
      case 'locking':
        return 'the EVM chain takes our lock';
      case 'locked':
        return 'the client claims our lock';
      case 'relaying':
        return "we send the client's claim";
      case 'relayed':
        return "the EVM chain takes the client's claim";
      case 'refunding':
        return 'we take our lock back';
    }
  },
  afterwards: ({ at, shallow, back }) =>
    at === 'lost' && back !== undefined
      ? 'the EVM chain buries the client’s claim, or our lock comes back'
      : at !== 'claimed' || shallow === undefined
        ? null
        : shallow.missing === undefined
          ? "the EVM chain buries the client's claim"
          : 'the client claims our lock once more: a reorganisation took its claim',
  /** From before it is signed, for the account's queue sends it at once. */
  rescue: (t) => lockLeg(t),
};
