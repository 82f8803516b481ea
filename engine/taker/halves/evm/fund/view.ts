import { chainIdOf } from '../../../../domain/chain.ts';
import { checksummed } from '../../../../domain/evm-address.ts';
import { evmTime, lockEnd, timelockPassed } from '../../../../legs/evm/timelocks.ts';
import { evmSide, tokenSide } from '../../../evm/facts.ts';
import { going, movedBy, notPaid, signedAs } from '../../../facts.ts';
import { create, refunding, shutUntil, signing, takenBack, unsigned } from '../../../steps.ts';
import { refundIn, refundMeanwhile, type FundView } from '../../fund.ts';
import { payerIsOut } from '../../../words.ts';
import { givenBy, type EvmFunding, type EvmFundTerms, type Base } from './terms.ts';

const begin = [
  create,
  { step: 'pay', reachedBy: ['funding', 'funded'] },
  { step: 'confirm', reachedBy: ['funded', 'claiming', 'claimed'] },
] as const;
const back = takenBack(begin, 'done');

/** The facts of tokens of ours that are locked on an EVM chain, or are to be. */
export const view: FundView<EvmFundTerms, Base, EvmFunding> = {
  give: (t, deal) =>
    t.spend === undefined
      ? evmSide(t, deal?.source.amount ?? t.sourceAmount)
      : tokenSide(t.chain, t.spend.token, t.spend.most),
  /** Of another token that was given, the chain shows what was locked for it. */
  back: (t, p) => (t.spend === undefined ? null : evmSide(t, p.made?.amount ?? p.deal.source.amount)),
  /** A signature of ours that may still be used is no lock yet. */
  paid(t, p, now) {
    const isTaken = p.takenBy !== null || p.at === 'lost';
    if (p.made !== null) {
      const amount = t.spend === undefined ? p.made.amount : null;
      return { state: isTaken ? 'taken' : p.at === 'done' ? 'back' : 'stands', amount };
    }
    const amount = t.spend === undefined ? p.deal.source.amount : null;
    if (isTaken) return { state: 'taken', amount };
    const time = evmTime(now, t.chain);
    const mayLock = p.at !== 'lapsed' && p.signedUntil !== null && (time === null || time <= p.signedUntil);
    return mayLock ? { state: 'leaving', amount } : notPaid;
  },
  /** To our own account: from there the tokens are locked by a signature, as a payment link says it (EIP-681). */
  pay(t, p, until) {
    if (p.said !== 'pending' || p.cancelled === true) return null;
    const { token, amount } = givenBy(t, p);
    const account = checksummed(t.account);
    const uri = `ethereum:${checksummed(token)}@${chainIdOf(t.chain)}/transfer?address=${account}&uint256=${amount}`;
    return { kind: 'evm', text: account, uri, amount, until };
  },
  times: (_, p) => ({ refundAloneFrom: lockEnd(p.deal.source), dangerFrom: null, last: null }),
  now: ({ chain }, clocks) => evmTime(clocks, chain),
  refund(t, p, now, beside) {
    const from = lockEnd(p.deal.source);
    if (p.takenBy !== null) return { state: 'none', from: null, why: 'spent' };
    if (p.at !== 'funded') return refundIn(p, from);
    return timelockPassed(from, now, t.chain)
      ? { state: 'possible', from, why: 'locktime-passed' }
      : refundMeanwhile(p, from, beside);
  },
  moves({ chain: network }, p, others) {
    return [
      ...movedBy('you', 'fund', network, p.made?.txid),
      ...signedAs('fund', network, p.made === null && p.at === 'funding' ? p.sent : null),
      ...others,
      ...movedBy('provider', 'claim', network, p.takenBy),
      ...signedAs('refund', network, p.at === 'refunding' ? p.sent : null),
      ...movedBy('you', 'refund', network, p.at === 'done' ? p.refundTxid : null),
    ];
  },
  /**
   * Once it was signed for, the account has had all of it: while it waits, what came lies there, and nothing is to be
   * paid again.
   */
  reason(p) {
    if (p.at !== 'waiting' || p.cancelled === true) return null;
    return p.signedUntil === null && p.declined === null ? null : { reason: 'not-locked', detail: p.declined };
  },
  declined: (p) => (p.at === 'funded' ? p.declined : null),
  tracks: { begin, back },
  turn(p, { isHopeless, window }, on) {
    const until = lockEnd(p.deal.source);
    switch (p.at) {
      case 'waiting':
        return p.cancelled === true || p.said !== 'pending'
          ? shutUntil(p.signedUntil ?? window.pay)
          : going('pay', { who: 'you', step: 'pay', until: window.pay }, on);
      case 'funding':
        return going(
          'wait',
          { who: p.by === 'provider' ? 'provider' : 'node', step: 'confirm', until: p.signedUntil },
          on,
        );
      case 'funded':
        if (p.declined !== null || p.relayed || isHopeless) return unsigned(until, back);
        return payerIsOut.has(p.said) ? signing(until, back) : null;
      case 'asking':
        return signing(until, back);
      case 'refunding':
        return refunding(back);
      default:
        return null;
    }
  },
};
