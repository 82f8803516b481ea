import { furthest } from '../../../../domain/time.ts';
import { exitStarts } from '../../../../legs/arkade/exit-rule.ts';
import { claimUntil, refundOpens } from '../../../../legs/timelocks.ts';
import { hasUnspent } from '../../../../swap/halves/extra-coins.ts';
import { bitcoinSide, bitcoinText, going, movedBy, notPaid, signedAs } from '../../../facts.ts';
import { create, refunding, shutUntil, signing, takenBack, unsigned } from '../../../steps.ts';
import { refundIn, refundMeanwhile, sum, type FundView } from '../../fund.ts';
import { payerIsOut } from '../../../words.ts';
import { lockOpen } from './refunding.ts';
import type { ArkadeFunding, ArkadeFundTerms, Base } from './terms.ts';

const begin = [create, { step: 'pay', reachedBy: ['funded', 'claiming', 'done'] }] as const;
const back = takenBack(begin, 'done');

/** The facts of coins of ours at a VHTLC. */
export const view: FundView<ArkadeFundTerms, Base, ArkadeFunding> = {
  give: (t, deal) => bitcoinSide('arkade', deal?.source.amount ?? t.sourceAmount),
  /** What stands is what nobody took yet, whoever paid it: the rest beside the provider's claim is ours as well. */
  paid(_, { at, coins, proof, untaken }) {
    const unspent = coins.filter(({ spent }) => !spent);
    if (unspent.length > 0) return { state: 'stands', amount: sum(unspent) };
    if (proof !== null || untaken !== undefined) return { state: 'taken', amount: sum(coins) };
    if (coins.length === 0) return notPaid;
    return { state: at === 'done' ? 'back' : 'unclear', amount: sum(coins) };
  },
  pay(_, p, until) {
    if (p.said === 'expired' || p.cancelled === true) return null;
    const { address, amount } = p.deal.source;
    const uri = `bitcoin:?ark=${address}&amount=${bitcoinText(amount)}`;
    return { kind: 'arkade', text: address, uri, amount, until };
  },
  /** Our refund opens by median time past; past its own expiry the operator may take a coin. */
  times(_, { deal, coins, expiresAt }) {
    const { vhtlc } = deal.source;
    const last = hasUnspent(coins) ? expiresAt : null;
    return {
      refundAloneFrom: refundOpens(vhtlc.refundLocktime),
      dangerFrom: last === null ? null : exitStarts(last, vhtlc.refundWithoutReceiverDelay),
      last,
    };
  },
  now: (_, { bitcoin }) => furthest(bitcoin).mtp,
  payoutUntil: ({ policy }, { deal }) => claimUntil(deal.source.vhtlc.refundLocktime, policy),
  refund(_, p, now, beside) {
    const from = refundOpens(p.deal.source.vhtlc.refundLocktime);
    // What the coins were for is ours, so that they are the provider's.
    if (p.at === 'done' && (beside.fate === 'ours' || p.proof !== null))
      return { state: 'none', from: null, why: 'spent' };
    if (p.at !== 'funded') return refundIn(p, from);
    if (!hasUnspent(p.coins)) return { state: 'none', from, why: 'nothing-paid' };
    if (lockOpen(p, now)) return { state: 'possible', from, why: 'locktime-passed' };
    return p.proof !== null ? { state: 'possible', from, why: 'surplus' } : refundMeanwhile(p, from, beside);
  },
  moves(_, p, others) {
    const claim = p.proof?.claimTxid ?? null;
    const refundTxid = p.at === 'refunding' || p.at === 'done' ? p.refundTxid : null;
    const returned = refundTxid !== claim ? refundTxid : null;
    const isExit = p.at === 'refunding' && p.exit === true;
    return [
      ...p.coins.flatMap(({ outpoint }) => movedBy('you', 'fund', 'arkade', outpoint.txid)),
      ...others,
      ...movedBy('provider', 'claim', 'arkade', claim),
      ...(p.at === 'refunding'
        ? signedAs(isExit ? 'exit' : 'refund', isExit ? 'bitcoin' : 'arkade', returned)
        : movedBy('you', 'refund', 'arkade', returned)),
    ];
  },
  declined: (p) => (p.at === 'funded' ? p.declined : null),
  tracks: { begin, back },
  turn(p, { fate, window }, on) {
    const until = p.deal.source.vhtlc.refundLocktime;
    switch (p.at) {
      case 'waiting':
        return p.said === 'expired' || p.cancelled === true
          ? shutUntil(until)
          : going('pay', { who: 'you', step: 'pay', until: window.pay }, on);
      case 'funded':
        if (p.declined !== null || fate === 'lost') return unsigned(until, back);
        return p.proof !== null || payerIsOut.has(p.said) ? signing(until, back) : null;
      case 'asking':
        return signing(until, back);
      case 'refunding':
        return refunding(back);
      default:
        return null;
    }
  },
};
