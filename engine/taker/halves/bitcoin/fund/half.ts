import { after, isAhead, minute, seconds, type Clocks, type Locktime } from '../../../../domain/time.ts';
import { sameOutpoint } from '../../../../domain/outpoint.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { locktimePassed } from '../../../../legs/timelocks.ts';
import { isFact } from '../../../../swap/halves/answer.ts';
import { withForeign } from '../../../../swap/halves/bitcoin/foreign.ts';
import { move, type Event, type Outcome, type Step, type Watch } from '../../../../swap/machine.ts';
import { ourHtlc } from '../rescue.ts';
import { whileLocked, whilePaid } from '../../../words.ts';
import { largest, type Beside, type ClientFund, type Fate, type Forfeited } from '../../fund.ts';
import { whenAskedFor, whenAsking, whenSaid } from './asking.ts';
import { hasOurs, isTaken, lockOpen, namedCoins, paidCoins, refundable, rest, sameCoins } from './coins.ts';
import { whenCosigned, withForgotten } from './cosign.ts';
import { nextRefund, resumeRefund, whenRefunding } from './refunding.ts';
import {
  base,
  baseOf,
  paidLeg,
  stages,
  type BitcoinFunding,
  type BitcoinFundTerms,
  type Base,
  type PaidCoin,
  type Stage,
} from './terms.ts';
import { view } from './view.ts';

type T = BitcoinFundTerms;
type P = BitcoinFunding;

/**
 * We pay an HTLC on the Bitcoin chain. What the provider does not take comes back after the locktime, without anybody.
 *
 * Loses money when wrong: a coin at the address that nobody takes back.
 */
export const fundOnBitcoin: ClientFund<T, Base, P> = {
  leg: 'bitcoin',
  ours: 'your bitcoin',
  whenSpoiled: 'your bitcoin is taken back at its locktime; if the provider takes it too, it owes you the swap.',
  fields: { source: paidLeg, base, stages },
  begin: (deal) => ({ at: 'waiting', deal, said: 'pending', coins: [], lookUntil: null }),
  step,
  resume: resumeRefund,
  meanwhile: (_, p, event) => (event.is === 'htlc.seen' ? withForeign(p, event, noted(p, event)) : null),
  base: baseOf,
  unclaimed: (p) => rest(p, null),
  bought: (p) => rest(p, 'ours'),
  spoiled: (p) => rest(p, 'lost'),
  awaits: ({ at }) => at === 'waiting' || at === 'funded',
  isTaken,
  isBack: lockOpen,
  aloneFrom: ({ deal }) => locktimeOf(deal.source.htlc),
  mostPaid: ({ coins }) => largest(coins),
  watches(t, p) {
    const {
      at,
      deal: { source, swapId },
      paidIn,
    } = p;
    if (at === 'lapsed') return [];
    const coins = namedCoins(p);
    // Dust that lies there is no payment: beside it the coin may be one that the provider took while we slept.
    const isUnseen = at === 'waiting' || (paidIn !== undefined && coins.length === 0);
    const htlc: Watch = {
      on: 'htlc',
      terms: source.htlc,
      script: source.script,
      since: source.since,
      agreed: { least: source.amount, most: source.amount },
      coins,
      ...(isUnseen && paidIn !== undefined ? { paidIn } : {}),
      // Whatever the provider says of it: such a coin is one that nobody pays again.
      ...(isUnseen ? { past: true } : {}),
    };
    const isAsked = at === 'waiting' || at === 'funded' || at === 'claiming';
    return isAsked ? [htlc, { on: 'provider', provider: t.provider, swapId }] : [htlc];
  },
  deadline(p) {
    switch (p.at) {
      case 'waiting':
      case 'funded':
      case 'asking':
        return unlockedAt(p, null);
      case 'claimed':
      case 'done':
      case 'lost':
        return p.over ? null : unlockedAt(p, fateAt(p));
      default:
        return null;
    }
  },
  open,
  words: {
    waiting: new Set(['expired']),
    lapsed: new Set(),
    // Whether a coin is there, and mined, we see ourselves.
    funded: (isPayment) => without(isPayment ? whilePaid : whileLocked, 'clientfundingseen', 'clientfunded'),
  },
  seenAs: ({ coins }) => (coins.some(({ mined }) => mined) ? 'clientfunded' : 'clientfundingseen'),
  rescue(t, p, fate) {
    if (p.at === 'lapsed' || p.at === 'done') return null;
    const own = fate === null ? (p.coins[0] ?? null) : p.at === 'refunding' ? comingBack(p) : refundable(p, fate);
    return fate !== null && own === null ? null : ourHtlc(t, p.deal.source, own);
  },
  view,
};

function without<V>(all: ReadonlySet<V>, ...some: readonly V[]): ReadonlySet<V> {
  return new Set([...all].filter((one) => !some.includes(one)));
}

/** As it is listed; one whose block is gone, as it was agreed. */
function comingBack({ coins, coin, deal }: Stage<'refunding'>): Pick<PaidCoin, 'outpoint' | 'amount'> {
  return coins.find(({ outpoint }) => sameOutpoint(outpoint, coin)) ?? { outpoint: coin, amount: deal.source.amount };
}

function fateAt({ at }: P): Fate {
  return at === 'claimed' ? 'ours' : at === 'lost' ? 'lost' : null;
}

function open(p: P): boolean {
  if (p.at === 'claimed' || p.at === 'done' || p.at === 'lost') return !p.over;
  return p.at !== 'lapsed';
}

/** What lies there waits for the locktime; an address that is looked at again, for the end of the look. */
function unlockedAt(p: Base, fate: Fate): Locktime {
  const locktime = locktimeOf(p.deal.source.htlc);
  return hasOurs(p, fate) ? locktime : (p.lookUntil ?? locktime);
}

type Seen = Event & { is: 'htlc.seen' };

function step(t: T, p: P, news: Event, now: Clocks, beside: Beside): Outcome<P> | Forfeited<P> {
  const { secret } = beside;
  const event = withForgotten(t, p, news, now, beside);
  const cosigned = whenCosigned(t, p, event, now, beside);
  if (cosigned !== null) return cosigned;
  const answer = stepOf(t, p, event, now, beside);
  const outcome = p.at === 'lapsed' || (answer !== 'stay' && isFact(answer)) ? answer : withForeign(p, event, answer);
  return secret === 'payee' && outcome !== 'stay' && !isFact(outcome) ? withProof(outcome, event) : outcome;
}

/** A payee gave its secret for the payment alone: what the provider takes with it was paid for. */
function withProof(step: Step<P>, event: Event): Step<P> {
  const { progress, flag: _, ...along } = step;
  if (progress.at !== 'funded' || !isTaken(progress)) return step;
  const spend = event.is === 'htlc.seen' ? event.coins.find((coin) => coin.spend?.by === 'claim')?.spend : null;
  const learned = spend?.by === 'claim' ? { learned: spend.preimage } : {};
  return { ...along, progress: rest(progress, 'ours'), ...learned };
}

function stepOf(t: T, p: P, event: Event, now: Clocks, beside: Beside): Outcome<P> | Forfeited<P> {
  const { fate } = beside;
  if (p.at === 'lapsed') return event.is === 'refund.requested' ? whenAsked(t, p, now) : 'stay';
  if (event.is === 'provider.seen') return whenSaid(t, p, event, now, beside);
  if (p.at === 'asking') return whenAsking(t, p, event, now);
  if (p.at === 'refunding') return whenRefunding(t, p, event, now, fate);
  switch (event.is) {
    case 'htlc.seen': {
      const paid = whenPaid(p, event);
      return paid === 'stay' ? whenLooked(p, event, now) : paid;
    }
    case 'clock':
      return nextRefund(t, p, now, fateAt(p)) ?? 'stay';
    case 'refund.requested':
      return whenAsked(t, p, now);
    case 'cancel.requested':
      return p.at === 'waiting' && p.coins.length === 0 && p.cancelled !== true
        ? move<P>({ ...p, cancelled: true })
        : 'stay';
    default:
      return 'stay';
  }
}

const unasked =
  'The provider takes the bitcoin with a secret that this node has not given away yet: what it locked is claimed as ' +
  'soon as it is there.';

function noted(p: Base, event: Seen): Outcome<Base> {
  const coins = paidCoins(p, event);
  return sameCoins(coins, p.coins) ? 'stay' : move<Base>({ ...p, coins });
}

/** The coins at our HTLC, whoever paid them. */
function whenPaid(p: Exclude<P, { at: 'asking' | 'refunding' | 'lapsed' }>, event: Seen): Outcome<P> {
  const coins = paidCoins(p, event);
  if (sameCoins(coins, p.coins)) return 'stay';
  if (p.at === 'claimed' || p.at === 'lost') return move<P>({ ...p, coins });
  const next: Base = { ...baseOf(p), coins };
  const flag = isTaken(next) && !isTaken(p) ? { flag: unasked } : {};
  return { ...move<P>(rest(next, null)), ...flag };
}

/**
 * Only a look after the locktime says that nothing is left, no clock: a node that slept over it may have been paid
 * meanwhile.
 */
function whenLooked(
  p: Exclude<P, { at: 'asking' | 'refunding' | 'lapsed' }>,
  { mtp, height }: Seen,
  now: Clocks,
): Outcome<P> | Forfeited<P> {
  const isOpen = locktimePassed(locktimeOf(p.deal.source.htlc), { mtp, height });
  if (!isOpen || hasOurs(p, fateAt(p)) || isLooking(p, now)) return 'stay';
  switch (p.at) {
    case 'waiting':
      return move<P>({ at: 'lapsed', ...baseOf(p) });
    case 'funded':
      return { fact: 'forfeited', lost: rest(p, 'lost') };
    default:
      return p.over ? 'stay' : move<P>({ ...p, over: true });
  }
}

/** How long an address is looked at again whose swap was over. */
const lookFor = seconds(10 * minute);

function isLooking({ lookUntil }: Base, { wall }: Clocks): boolean {
  return lookUntil !== null && isAhead(lookUntil, lookFor, wall);
}

/**
 * What lies there is taken back at once where it can be; an address that is not watched any more is watched for a
 * while.
 */
function whenAsked(t: T, p: Exclude<P, Stage<'asking' | 'refunding'>>, now: Clocks): Outcome<P> {
  const fate = fateAt(p);
  const refund = nextRefund(t, p, now, fate) ?? whenAskedFor(t, p, now);
  if (refund !== null || open(p)) return refund ?? 'stay';
  return move<P>(rest({ ...baseOf(p), lookUntil: after(now.wall, lookFor) }, fate));
}
