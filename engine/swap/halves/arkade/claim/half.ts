import { vhtlcSpan } from '../../../../legs/spans.ts';
import type { ClaimHalf } from '../../claim.ts';
import { move, type Event } from '../../../machine.ts';
import { vhtlcLeg } from '../../../rescue.ts';
import { addressOpen, coinsDeadline, ownCoins, resumedBy, seedOf, type AddressState } from '../../extra-coins.ts';
import { remainingIn } from '../../coins-at-address.ts';
import { suretyOf } from '../../surety.ts';
import { claimEffect, resumeClaim, whenClaiming } from './claiming.ts';
import { fundingSeen, unnamedSeen, whenAmended } from './funding.ts';
import { leftAloneAt, whenLapsed, whenOver, whenRefunded, whenStopped } from './over.ts';
import {
  sourceFields as fields,
  fundedOf,
  stopped,
  withExtras,
  type Claiming,
  type Pending,
  type SourceTerms,
  type Stopped,
  type Unnamed,
  type ArkadeClaim,
  type Unwatched,
} from './terms.ts';

/** The client funds a VHTLC, and we claim it. */
export const claimOnArkade: ClaimHalf<SourceTerms, ArkadeClaim> = {
  leg: 'arkade',
  name: 'the VHTLC',
  fields: { ...fields, waiting: { pending: fields.pending, unnamed: fields.unnamed } },
  waiting(t, p, event, now) {
    if (event.is === 'refund.cosign.requested') return move<Pending | Unnamed>(p.fenced ? p : { ...p, fenced: true });
    if (event.is !== 'vhtlc.seen') return 'stay';
    if (p.at === 'unnamed') return unnamedSeen(p, event, t, now);
    const seen = fundingSeen(t, p, event, now);
    switch (seen.is) {
      case 'nothing':
        return 'stay';
      case 'stopped':
        return move<Stopped>(seen.progress);
      case 'coin':
        return { fact: 'sure', sure: seen.funded, sight: seen.coin, waits: null };
    }
  },
  kept: fundedOf,
  isLook: ({ is }) => is === 'vhtlc.seen',
  backing(_, p, event) {
    const next = withExtras(p, event);
    return next === p ? 'stay' : move(next);
  },
  givenBack: (t, p, why, reason) => stopped(why, reason, false, ownCoins(t, p)),
  forgone: fundedOf,
  release: () => [],
  begin: (p) => ({ claimTxid: null, ...fundedOf(p) }),
  take: claimEffect,
  claiming: (t, p, event, now) => whenClaiming(t, p as typeof p & Claiming, event, now),
  resume: (t, p) => resumeClaim(t, p as typeof p & Claiming),
  over: (t, p, event, now) => (overEvents.has(event.is) ? whenOver(t, p, event, now) : null),
  stands: () => false,
  back: ({ extras }) => ({ at: 'refunded', refundTxid: null, extras }),
  amended: whenAmended,
  stopped: whenStopped,
  lapsed: whenLapsed,
  refunded: whenRefunded,
  isRefund: (event) => event.is === 'refund.cosign.requested',
  isUnsure: () => false,
  isBack: () => false,
  isFenced: ({ fenced }) => fenced,
  seed: seedOf,
  resumed: resumedBy,
  remaining: (t, p) => (p.at === 'refunded' || p.fenced ? null : remainingIn(t, p.extras)),
  surely: ({ vhtlc, policy }) => ({
    // Half of the margin is left until the client may take the VHTLC back: a chain that stands still must not cost us
    // both.
    ...suretyOf(vhtlcSpan(vhtlc.refundLocktime), Math.floor(policy.margin / 2), policy),
    late: () => null,
    isPatient: true,
    words: {
      stays: 'The VHTLC stays where it is until its secret or our refund shows.',
      taken: 'its VHTLC is claimed',
      back: 'the client has its VHTLC again',
    },
  }),
  sight: () => null,
  watches: ({ vhtlc, script }) => [{ on: 'vhtlc', terms: vhtlc, script }],
  deadline(t, p: AddressState & Unwatched) {
    const { fundBefore, vhtlc } = t;
    return coinsDeadline(p, { fundBefore, alone: vhtlc.refundLocktime, until: leftAloneAt(t, p) });
  },
  open: addressOpen,
  action(t, p) {
    switch (p.at) {
      case 'pending':
        return 'the client funds the VHTLC';
      case 'unnamed':
        return 'the client funds the VHTLC, and names its invoice';
      case 'claiming':
        return 'we claim the VHTLC';
      case 'stopped':
      case 'returned':
        return (p as Stopped).extras.length === 0
          ? 'nothing: it was never funded'
          : `the client takes the refund, alone from ${t.vhtlc.refundLocktime} on`;
      default:
        return 'nothing: it is over';
    }
  },
  rescue: (t, p) => vhtlcLeg('swap', { vhtlc: t.vhtlc, keyIndex: t.keyIndex, amount: t.sourceAmount }, p.coin),
  // The client's coin is among those that went back to it.
  rescueRemaining: (t) => vhtlcLeg('swap', { vhtlc: t.vhtlc, keyIndex: t.keyIndex, amount: t.sourceAmount }, null),
};

/** What still moves a swap that is over. */
const overEvents: ReadonlySet<Event['is']> = new Set(['clock', 'refund.cosign.requested', 'vhtlc.seen']);
