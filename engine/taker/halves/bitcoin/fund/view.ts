import { furthest } from '../../../../domain/time.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { refundOpens } from '../../../../legs/timelocks.ts';
import { bitcoinSide, bitcoinText, going, notPaid, signedAs, type Moved } from '../../../facts.ts';
import { create, refunding, shutUntil } from '../../../steps.ts';
import type { Sats } from '../../../../domain/money.ts';
import type { FundView } from '../../fund.ts';
import { providerIsOut } from '../../../words.ts';
import { hasOurs, isTaken, lockOpen, ourCoins } from './coins.ts';
import type { BitcoinFunding, BitcoinFundTerms, Base } from './terms.ts';

const pay = [create, { step: 'pay', reachedBy: ['funded', 'claiming', 'claimed', 'refunding', 'done'] }] as const;
const begin = [...pay, { step: 'confirm', reachedBy: ['claiming', 'claimed'] }] as const;
const back = [
  ...pay,
  { step: 'await-refund', reachedBy: ['refunding', 'done'] },
  { step: 'refund', reachedBy: ['done'] },
  { step: 'returned', reachedBy: ['done'] },
] as const;

const hadCoins: ReadonlySet<string> = new Set(['funded', 'claimed', 'refunding', 'done', 'lost']);

function sum(coins: Base['coins']): bigint {
  return coins.reduce((total, { amount }) => total + amount, 0n);
}

/** The facts of coins of ours at an HTLC of the Bitcoin chain. */
export const view: FundView<BitcoinFundTerms, Base, BitcoinFunding> = {
  give: (t, deal) => bitcoinSide('bitcoin', deal?.source.amount ?? (t.sourceAmount as Sats)),
  paid(_, p, __, { fate }) {
    const ours = ourCoins(p, fate);
    // A coin that the chain showed and shows no more: evicted, or its block is gone.
    if (p.coins.length === 0) return hadCoins.has(p.at) ? { state: 'unclear', amount: null } : notPaid;
    if (ours.length > 0) return { state: 'stands', amount: sum(ours) };
    if (isTaken(p) || fate !== null) return { state: 'taken', amount: p.deal.source.amount };
    const returned = p.coins.filter(({ spend }) => spend?.by === 'refund');
    if (returned.length > 0) return { state: 'back', amount: sum(returned) };
    return hadCoins.has(p.at) ? { state: 'unclear', amount: null } : notPaid;
  },
  pay(_, p, until) {
    if (providerIsOut.has(p.said) || p.lookUntil !== null || p.cancelled === true) return null;
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
  payoutUntil: () => null,
  refund(_, p, now, { fate }) {
    const from = refundOpens(locktimeOf(p.deal.source.htlc));
    switch (p.at) {
      case 'waiting':
      case 'lapsed':
        return { state: 'none', from, why: 'nothing-paid' };
      case 'refunding':
        return { state: 'running', from, why: null };
      case 'done':
        return { state: 'done', from, why: null };
      case 'claiming':
        return { state: 'none', from: null, why: 'spent' };
      default:
        break;
    }
    if (!hasOurs(p, fate)) return { state: 'none', from: null, why: 'spent' };
    if (lockOpen(p, now)) return { state: 'possible', from, why: 'locktime-passed' };
    return { state: 'later', from, why: p.at === 'claimed' ? 'surplus' : 'locktime' };
  },
  moves(_, p, others) {
    const last = p.at === 'refunding' ? p.spends.at(-1) : undefined;
    const sent = last === undefined || p.coins.some(({ spend }) => spend?.txid === last) ? null : last;
    return [
      ...p.coins.map(({ outpoint }): Moved => ({
        what: 'fund',
        network: 'bitcoin',
        txid: outpoint.txid,
        whose: 'you',
      })),
      ...others,
      ...p.coins.flatMap(({ spend }): Moved[] =>
        spend === null
          ? []
          : [
              {
                what: spend.by,
                network: 'bitcoin',
                txid: spend.txid,
                whose: spend.by === 'claim' ? 'provider' : 'you',
              },
            ],
      ),
      ...signedAs('refund', 'bitcoin', sent),
    ];
  },
  reason: (p) => (p.at === 'funded' && isTaken(p) ? { reason: 'flagged', detail: null } : null),
  declined: () => null,
  tracks: { begin, back },
  turn(p, { isHopeless, window, claimUntil }, { on, shut }) {
    const until = locktimeOf(p.deal.source.htlc);
    switch (p.at) {
      case 'waiting':
        return providerIsOut.has(p.said) || p.lookUntil !== null || p.cancelled === true
          ? shutUntil(until, shut)
          : going('pay', { who: 'you', step: 'pay', until: window.pay }, on);
      case 'funded':
        if (isHopeless || providerIsOut.has(p.said))
          return going('refund', { who: 'nobody', step: 'await-refund', until }, back);
        return p.coins.some(({ deep }) => deep)
          ? null
          : going('wait', { who: 'nobody', step: 'confirm', until: claimUntil ?? until }, on);
      case 'refunding':
        return refunding(back);
      default:
        return null;
    }
  },
};
