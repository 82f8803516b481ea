import { htlcSpan } from '../../../../legs/spans.ts';
import type { ClaimHalf } from '../../claim.ts';
import { move } from '../../../machine.ts';
import { isOurs } from '../taking.ts';
import { htlcToClaim } from '../../../rescue.ts';
import { addressOpen, coinsDeadline, ownCoins, resumedBy, seedOf } from '../../extra-coins.ts';
import { suretyOf } from '../../surety.ts';
import { claimEffect, resumeClaim, whenClaiming } from './claiming.ts';
import { whenFunded, whenLooked } from './funding.ts';
import { leftAloneAt, whenOver, whenStopped } from './over.ts';

import {
  sourceFields as fields,
  fundedOf,
  stopped,
  type Claiming,
  type OnchainClaim,
  type OnchainSourceTerms,
  type Stopped,
} from './terms.ts';
import { coinsWatch } from './watches.ts';

type State = Parameters<typeof addressOpen>[0] & Parameters<typeof coinsDeadline>[0];

/** The client pays an HTLC on the Bitcoin chain, and we claim it. */
export const claimOnBitcoin: ClaimHalf<OnchainSourceTerms, OnchainClaim> = {
  leg: 'bitcoin',
  name: 'its bitcoin',
  fields: { ...fields, waiting: { pending: fields.pending, seen: fields.seen } },
  waiting(t, p, event, now) {
    if (event.is !== 'htlc.seen') return 'stay';
    const look = whenLooked(t, p, event, now);
    switch (look.is) {
      case 'nothing':
        return 'stay';
      case 'moved':
        return move(look.progress);
      case 'deep':
        return { fact: 'sure', sure: look.funded, sight: t.confirmations, waits: null };
    }
  },
  kept: fundedOf,
  isLook: ({ is }) => is === 'htlc.seen',
  backing: (t, p, event) => (event.is === 'htlc.seen' ? whenFunded(t, p, event) : 'stay'),
  givenBack: (t, p, why, reason) => stopped(why, reason, ownCoins(t, p)),
  release: () => [],
  begin: (p) => ({ spends: [], mined: null, ...fundedOf(p) }),
  take: claimEffect,
  claiming: (t, p, event) => whenClaiming(t, p, event),
  resume: resumeClaim,
  over(t, p, event, now) {
    if (event.is === 'clock' || event.is === 'htlc.seen') return whenOver(t, p, event, now);
    // Of our claim, and late.
    return 'txid' in event && event.txid !== null && isOurs(p, event.txid) ? 'stay' : null;
  },
  stands: ({ mined }) => mined !== null,
  back: ({ extras }) => ({ at: 'refunded', clientTxid: null, extras }),
  stopped: whenStopped,
  lapsed: () => 'stay',
  refunded: whenOver,
  isRefund: () => false,
  isUnsure: () => false,
  isBack: () => false,
  isFenced: () => false,
  seed: seedOf,
  resumed: resumedBy,
  remaining: () => null,
  surely({ htlc, policy }) {
    const surety = suretyOf(htlcSpan(htlc.refundLocktime), policy.margin, policy);
    const { last, cannotWait } = surety;
    return {
      ...surety,
      late: (now) =>
        cannotWait(now) ? `The bitcoin of this swap is surely ours only until median time past is ${last}` : null,
      isPatient: true,
      words: {
        stays: 'The bitcoin stays where it is until its secret or our refund shows.',
        taken: 'its bitcoin is claimed',
        back: 'the client has its bitcoin again',
      },
    };
  },
  sight: (t) => t.confirmations,
  watches: (t, p) => (p.at === 'lapsed' ? [] : [coinsWatch(t, p as Partial<Claiming>)]),
  deadline(t, p) {
    switch (p.at) {
      case 'pending':
        return t.fundBefore; // for the owner's list: the first look after it ends the swap
      case 'seen':
      case 'funded':
        return t.giveBefore;
      case 'claiming':
        return t.htlc.refundLocktime; // for the owner's list: our claim goes on past it
      case 'claimed':
      case 'lost':
      case 'returned':
      case 'stopped':
      case 'refunded':
        return coinsDeadline(p as State, { alone: t.htlc.refundLocktime, until: leftAloneAt(t) });
      default:
        return null;
    }
  },
  open: (p) => addressOpen(p as State),
  action(t, p) {
    switch (p.at) {
      case 'pending':
        return 'the client sends its bitcoin';
      case 'seen':
        return "the miners: the client's transaction waits for its confirmations";
      case 'claiming':
        return 'we claim the bitcoin';
      case 'stopped':
      case 'returned':
        return (p as Stopped).extras.length === 0
          ? 'nothing: it was never funded'
          : `the client takes the refund, alone, once median time past is above ${t.htlc.refundLocktime}`;
      case 'claimed':
        return 'nothing: it is done';
      case 'lost':
        return 'nothing: the bitcoin is gone';
      default:
        return 'nothing: it is over';
    }
  },
  rescue: htlcToClaim,
  rescueRemaining: () => null,
};
