import type { Outpoint } from '../../../../domain/outpoint.ts';
import { isHeight, type Locktime } from '../../../../domain/time.ts';
import { locktimeOf, opensText } from '../../../../legs/onchain/locktime.ts';
import type { RescueLeg } from '../../../../legs/rescue.ts';
import { htlcSpan } from '../../../../legs/spans.ts';
import { isFact } from '../../answer.ts';
import type { ClaimHalf } from '../../claim.ts';
import { move } from '../../../machine.ts';
import { withForeign } from '../foreign.ts';
import { isOurs } from '../taking.ts';
import { htlcLeg } from '../../../rescue.ts';
import { addressOpen, coinsDeadline, largestLeft, ownCoins, resumedBy, seedOf } from '../../extra-coins.ts';
import { remainingIn } from '../../coins-at-address.ts';
import { suretyOf } from '../../surety.ts';
import { firstClaim, resumeClaim, whenClaiming } from './claiming.ts';
import { whenLapsedCosigned, whenOverCosigned, whenStoppedCosigned, whenWaitingCosigned } from './cosign.ts';
import { unnamedLooked, whenAmended, whenFunded, whenLooked } from './funding.ts';
import { leftAloneAt, whenOver, whenStopped } from './over.ts';
import {
  sourceFields as fields,
  fundedOf,
  stopped,
  type OnchainClaim,
  type OnchainSourceTerms,
  type Stopped,
} from './terms.ts';
import { coinsWatch } from './watches.ts';

/** The client pays an HTLC on the Bitcoin chain, and we claim it. */
export const claimOnBitcoin: ClaimHalf<OnchainSourceTerms, OnchainClaim> = {
  leg: 'bitcoin',
  name: 'its bitcoin',
  fields: { ...fields, waiting: { pending: fields.pending, seen: fields.seen, unnamed: fields.unnamed } },
  waiting(t, p, event, now) {
    const refund = whenWaitingCosigned(t, p, event);
    if (refund !== null) return refund;
    if (event.is !== 'htlc.seen') return 'stay';
    if (p.at === 'unnamed') return withForeign<OnchainClaim['waiting'] | Stopped>(p, event, unnamedLooked(t, p, event));
    const look = whenLooked(t, p, event, now);
    switch (look.is) {
      case 'nothing':
        return withForeign<OnchainClaim['waiting']>(p, event, 'stay');
      case 'moved':
        return withForeign(p, event, move(look.progress));
      case 'deep':
        return { fact: 'sure', sure: look.funded, sight: t.confirmations, waits: null };
    }
  },
  kept: fundedOf,
  isLook: ({ is }) => is === 'htlc.seen',
  backing: (t, p, event) => (event.is === 'htlc.seen' ? withForeign(p, event, whenFunded(t, p, event)) : 'stay'),
  givenBack: (t, p, why, reason) => stopped(why, reason, ownCoins(t, p)),
  forgone: ({ coin, surplus, extras }) => ({ coin, surplus, extras, spends: [], mined: null }),
  release: () => [],
  begin: (p) => ({ spends: [], mined: null, ...fundedOf(p) }),
  take: firstClaim,
  claiming(t, p, event, _, isPaidBack) {
    const answer = whenClaiming(t, p, event, isPaidBack);
    return answer === null || isFact(answer) ? answer : withForeign(p, event, answer);
  },
  resume: resumeClaim,
  over(t, p, event, now) {
    const refund = whenOverCosigned(t, p, event);
    if (refund !== null) return refund;
    if (event.is === 'clock' || event.is === 'htlc.seen') return whenOver(t, p, event, now);
    // Of our claim, and late.
    return 'txid' in event && event.txid !== null && isOurs(p, event.txid) ? 'stay' : null;
  },
  stands: ({ mined }) => mined !== null,
  back: ({ extras }) => ({ at: 'refunded', clientTxid: null, extras }),
  amended: whenAmended,
  stopped: (t, p, event, now) => whenStoppedCosigned(t, p, event) ?? whenStopped(t, p, event, now),
  lapsed: whenLapsedCosigned,
  refunded: (t, p, event, now) => whenOverCosigned(t, p, event) ?? whenOver(t, p, event, now),
  isRefund: (event) => event.is === 'cosign.asked' && event.purpose === 'refund',
  isUnsure: () => false,
  isBack: () => false,
  isFenced: (p) => p.fenced === true,
  seed: seedOf,
  resumed: resumedBy,
  remaining: (t, p) => (p.at === 'refunded' || p.fenced === true ? null : remainingIn(t, p.extras)),
  surely({ htlc, policy }) {
    const surety = suretyOf(htlcSpan(locktimeOf(htlc)), policy.margin, policy);
    const { last, cannotWait } = surety;
    return {
      ...surety,
      late: (now) => (cannotWait(now) ? `The bitcoin can be claimed safely only until ${lastText(last)}` : null),
      isPatient: true,
      words: {
        stays: 'The bitcoin stays where it is until its secret or our refund shows.',
        taken: 'its bitcoin is claimed',
        back: 'the client has its bitcoin again',
      },
    };
  },
  sight: (t) => t.confirmations,
  watches: (t, p) => (p.at === 'lapsed' ? [] : [coinsWatch(t, p)]),
  deadline(t, p) {
    switch (p.at) {
      case 'seen':
      case 'funded':
        return t.giveBefore;
      case 'claiming':
        return locktimeOf(t.htlc); // for the owner's list: our claim goes on past it
      default:
        return coinsDeadline(p, { fundBefore: t.fundBefore, alone: locktimeOf(t.htlc), until: leftAloneAt(t) });
    }
  },
  open: addressOpen,
  action(t, p) {
    switch (p.at) {
      case 'pending':
        return 'the client sends its bitcoin';
      case 'unnamed':
        return 'the client sends its bitcoin, and names its invoice';
      case 'seen':
        return "the miners: the client's transaction waits for its confirmations";
      case 'claiming':
        return 'we claim the bitcoin';
      case 'stopped':
      case 'returned':
        return (p as Stopped).extras.length === 0
          ? 'nothing: it was never funded'
          : `the client takes the refund, alone, ${opensText(locktimeOf(t.htlc))}`;
      case 'claimed':
        return 'nothing: it is done';
      case 'lost':
        return 'nothing: the bitcoin is gone';
      default:
        return 'nothing: it is over';
    }
  },
  rescue: (t, { coin }) => legOf(t, coin),
  rescueRemaining: (t, { extras }) => legOf(t, largestLeft(extras)?.outpoint ?? null),
};

function legOf(t: OnchainSourceTerms, coin: Outpoint | null): RescueLeg {
  return htlcLeg('swap', { htlc: t.htlc, keyIndex: t.keyIndex, amount: t.sourceAmount, since: t.htlcSince }, coin);
}

function lastText(last: Locktime): string {
  return isHeight(last) ? `block ${last}` : `median time past is ${last}`;
}
