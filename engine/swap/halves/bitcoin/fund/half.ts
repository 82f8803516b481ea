import type { Outpoint } from '../../../../domain/outpoint.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import type { RescueLeg } from '../../../../legs/rescue.ts';
import { stepTo } from '../../answer.ts';
import type { FundHalf } from '../../fund.ts';
import { htlcLeg } from '../../../rescue.ts';
import { feePaid, lossOf } from '../../../ledger.ts';
import { whenCosigned, whenCosignedInDoubt } from './cosign.ts';
import { fundEffect, keptEffects, sendEffect } from './effects.ts';
import { resumeRevealed, whenLost, whenRevealed } from './revealed.ts';
import { fundingEnd, htlcWatch } from './seen.ts';
import { resumeRefund, whenRefunding } from './refunding.ts';
import { lockFound, whenDoubted, whenFunded, whenLocked, whenSending } from './standing.ts';
import {
  isSettled,
  onchainFund,
  revealedOf,
  type OnchainFund,
  type OnchainTargetTerms,
  type Placed,
  type Revealed,
  type Stage,
} from './terms.ts';

type Any =
  | Stage
  | (Revealed & { readonly at: 'claiming' | 'claimed' | 'lost' })
  | { readonly at: 'stopped' | 'refunded'; readonly doubt?: OnchainFund['doubt'] };

/** We fund an HTLC on the Bitcoin chain, and the client claims it. */
export const fundOnBitcoin: FundHalf<OnchainTargetTerms, OnchainFund> = {
  leg: 'bitcoin',
  fields: onchainFund,
  standing(t, p, event, now, backing) {
    const answer = whenCosigned(t, p, event, now, backing);
    if (answer !== null) return answer;
    switch (p.at) {
      case 'funded':
        return whenFunded(t, p, event, backing);
      case 'funding':
        return whenSending(t, p, event, backing);
      case 'locked':
        return whenLocked(t, p, event, now, backing);
      case 'refunding':
        return whenRefunding(t, p, event, now, backing);
    }
  },
  resume(t, p, backing) {
    switch (p.at) {
      case 'funded':
        return p.other === true ? [] : [fundEffect(t)];
      case 'funding':
        return p.funding === null ? [] : [sendEffect(t, p.funding, backing)];
      case 'locked':
        return keptEffects(t, p, null);
      case 'refunding':
        return resumeRefund(t, p, backing);
    }
  },
  resumeRevealed,
  revealed: (t, p, event, _, surety) => whenRevealed(t, p, event, surety),
  kept: revealedOf,
  onceClaimed: (p) => p,
  isPaidBack: ({ end }) => end === 'refunded' || end === 'void',
  lost: whenLost,
  loss: (t) => lossOf('bitcoin', t),
  begin: fundEffect,
  doubted: (t, p, event, _, holds) =>
    whenCosignedInDoubt(t, event) ?? (p === null ? lockFound(t, event, holds) : whenDoubted(t, p.placed, event, holds)),
  forbidsRefund: () => true,
  isPayment: false,
  // Whatever the client has again, it has the secret too: a funding that is mined late would be its own.
  outlasts: true,
  /** What the funding cost, or the refund that was seen before it was told of. */
  afterReturn: (p, event) =>
    event.is === 'onchain.final'
      ? stepTo(fundingEnd(p, event) === null ? p : { ...p, buried: true }, {
          ledger: [feePaid(event)],
        })
      : null,
  watches(t, state) {
    const p = state as Any;
    switch (p.at) {
      case 'funded':
        return [htlcWatch(t, null)];
      case 'funding':
        // The node may neither take nor list what another source has: its client may have that mined.
        return [{ ...htlcWatch(t, p), ours: true }];
      case 'stopped':
      case 'refunded':
        return [htlcWatch(t, p.doubt?.placed ?? null, 'also before')];
      case 'claiming':
      case 'claimed':
      case 'lost':
        return p.end === null ? [htlcWatch(t, p)] : [];
      default:
        return [htlcWatch(t, p)];
    }
  },
  deadline(t, p, { last }) {
    if (p.at === 'refunding') return p.redeem === undefined ? null : last;
    return p.at === 'locked' ? locktimeOf(t.htlc) : null;
  },
  open: (p) => !isSettled(p),
  reserves: ({ at }) => at === 'funded',
  action(p) {
    switch (p.at) {
      case 'funded':
        return 'we fund our part on the Bitcoin chain';
      case 'funding':
        return 'the Bitcoin chain takes our funding';
      case 'locked':
        return 'the client claims our coin';
      case 'refunding':
        return p.redeem === undefined ? 'we take our coin back' : 'the miners: our refund and the client’s claim race';
    }
  },
  afterwards(p) {
    if (p.at === 'claiming' || isSettled(p)) return null;
    return p.at === 'claimed'
      ? 'the miners bury what took our coin'
      : 'we take our coin back, unless the client’s claim is mined';
  },
  rescue(t, p) {
    if ('placed' in p) return legOf(t, p.placed?.output ?? null);
    return 'output' in p ? legOf(t, p.output) : null;
  },
  rescueBack: (t, p: Placed & { readonly cosign?: true }) => (p.cosign === true ? null : legOf(t, p.output)),
  resend: ({ redeem }) => (redeem.unsigned === true ? null : redeem.bytes),
};

function legOf(t: OnchainTargetTerms, coin: Outpoint | null): RescueLeg {
  return htlcLeg('swap', { htlc: t.htlc, keyIndex: t.keyIndex, amount: t.targetAmount, since: t.htlcSince }, coin);
}
