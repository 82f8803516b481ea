import { furthest } from '../../../../domain/time.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { refundOpens } from '../../../../legs/timelocks.ts';
import { bitcoinSide, bitcoinText, going, movedBy, notPaid, signedAs } from '../../../facts.ts';
import { create, refunding, shutUntil, signing, takenBack } from '../../../steps.ts';
import type { Sats } from '../../../../domain/money.ts';
import type { WhyCode } from '../../../../domain/taker.ts';
import { refundIn, sum, type FundView } from '../../fund.ts';
import { providerIsOut } from '../../../words.ts';
import { askable } from './asking.ts';
import { hasOurs, isTaken, lockOpen, ourCoins } from './coins.ts';
import type { BitcoinFunding, BitcoinFundTerms, Base, Stage } from './terms.ts';

const pay = [create, { step: 'pay', reachedBy: ['funded', 'claiming', 'claimed', 'refunding', 'done'] }] as const;
const begin = [...pay, { step: 'confirm', reachedBy: ['claiming', 'claimed'] }] as const;
const back = [
  ...pay,
  { step: 'await-refund', reachedBy: ['refunding', 'done'] },
  { step: 'refund', reachedBy: ['done'] },
  { step: 'returned', reachedBy: ['done'] },
] as const;

/** The same with the provider's signature, before the locktime. */
const signedBack = takenBack(pay, 'done');

const hadCoins: ReadonlySet<string> = new Set(['funded', 'claimed', 'asking', 'refunding', 'done', 'lost']);

function isShut(p: Base): boolean {
  return providerIsOut.has(p.said) || p.lookUntil !== null || p.cancelled === true;
}

/** The provider says that it is paid: whoever pays once more gives it a coin that its secret opens already. */
function isPaidAlready(p: Base): boolean {
  return p.said !== 'pending';
}

function whyAsked(p: Stage<'funded'>): WhyCode {
  if (p.declined !== undefined) return 'provider-declined';
  return providerIsOut.has(p.said) ? 'provider-out' : 'in-progress';
}

/** The facts of coins of ours at an HTLC of the Bitcoin chain. */
export const view: FundView<BitcoinFundTerms, Base, BitcoinFunding> = {
  give: (t, deal) => bitcoinSide('bitcoin', deal?.source.amount ?? (t.sourceAmount as Sats)),
  paid(_, p, __, { fate }) {
    const ours = ourCoins(p, fate);
    // A coin that the chain showed and shows no more: evicted, or its block is gone.
    if (p.coins.length === 0 && p.cosign === undefined)
      return hadCoins.has(p.at) ? { state: 'unclear', amount: null } : notPaid;
    if (ours.length > 0) return { state: 'stands', amount: sum(ours) };
    if (isTaken(p) || fate !== null) return { state: 'taken', amount: p.deal.source.amount };
    const returned = p.coins.filter(({ spend }) => spend?.by === 'refund');
    if (returned.length > 0) return { state: 'back', amount: sum(returned) };
    return hadCoins.has(p.at) ? { state: 'unclear', amount: null } : notPaid;
  },
  pay(_, p, until) {
    if (isShut(p) || isPaidAlready(p)) return null;
    const { address, amount } = p.deal.source;
    const uri = `bitcoin:${address}?amount=${bitcoinText(amount)}`;
    return { kind: 'bitcoin', text: address, uri, amount, until };
  },
  /** A coin on the chain never expires. */
  times: (_, { deal }) => ({
    refundAloneFrom: refundOpens(locktimeOf(deal.source.htlc)),
    dangerFrom: null,
    last: null,
  }),
  now: (_, { bitcoin }) => furthest(bitcoin).mtp,
  refund(_, p, now, { fate }) {
    const from = refundOpens(locktimeOf(p.deal.source.htlc));
    if (p.at !== 'funded' && p.at !== 'claimed' && p.at !== 'lost') return refundIn(p, from);
    if (!hasOurs(p, fate)) return { state: 'none', from: null, why: 'spent' };
    if (lockOpen(p, now)) return { state: 'possible', from, why: 'locktime-passed' };
    if (p.at === 'funded' && askable(p, now) !== null) return { state: 'possible', from, why: whyAsked(p) };
    return { state: 'later', from, why: p.at === 'claimed' ? 'surplus' : 'locktime' };
  },
  moves(_, p, others) {
    const last = p.at === 'refunding' ? p.spends.at(-1) : undefined;
    const sent = last === undefined || p.coins.some(({ spend }) => spend?.txid === last) ? null : last;
    return [
      ...p.coins.flatMap(({ outpoint }) => movedBy('you', 'fund', 'bitcoin', outpoint.txid)),
      ...others,
      ...p.coins.flatMap(({ spend }) =>
        spend === null ? [] : movedBy(spend.by === 'claim' ? 'provider' : 'you', spend.by, 'bitcoin', spend.txid),
      ),
      ...signedAs('refund', 'bitcoin', sent),
    ];
  },
  reason: (p) => (p.at === 'funded' && isTaken(p) ? { reason: 'flagged', detail: null } : null),
  declined: (p) => (p.at === 'funded' ? (p.declined?.reason ?? null) : null),
  tracks: { begin, back },
  turn(p, { isHopeless, window, claimUntil }, on) {
    const until = locktimeOf(p.deal.source.htlc);
    switch (p.at) {
      case 'waiting':
        if (!isShut(p) && isPaidAlready(p)) return going('wait', { who: 'nobody', step: 'confirm', until }, on);
        return isShut(p) ? shutUntil(until) : going('pay', { who: 'you', step: 'pay', until: window.pay }, on);
      case 'funded':
        if (isHopeless || providerIsOut.has(p.said))
          return going('refund', { who: 'nobody', step: 'await-refund', until }, back);
        return p.coins.some(({ deep }) => deep)
          ? null
          : going('wait', { who: 'nobody', step: 'confirm', until: claimUntil ?? until }, on);
      case 'asking':
        return signing(until, signedBack);
      case 'refunding':
        return refunding(p.joint === true ? signedBack : back);
      default:
        return null;
    }
  },
};
