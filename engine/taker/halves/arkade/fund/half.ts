import { sameOutpoint } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { hasUnspent, sameExtras } from '../../../../swap/halves/extra-coins.ts';
import { move, type Event, type Outcome } from '../../../../swap/machine.ts';
import { vhtlcLeg } from '../../../../swap/rescue.ts';
import { arkadeLeg } from '../../../shape.ts';
import { whileLocked, whilePaid } from '../../../words.ts';
import { largest, withWord, type Beside, type ClientFund } from '../../fund.ts';
import { lockOpen, resumeRefund, whenAsking, whenFunded, whenRefunding } from './refunding.ts';
import { whenCoinsSeen } from './seen.ts';
import {
  fundedAs,
  base,
  baseOf,
  stages,
  type ArkadeFunding,
  type ArkadeFundTerms,
  type Base,
  type Stage,
} from './terms.ts';
import { view } from './view.ts';
import { watches } from './watches.ts';

type T = ArkadeFundTerms;
type P = ArkadeFunding;

/**
 * We fund a VHTLC.
 *
 * Loses money when wrong: a coin of ours that nobody takes back before it expires; a claim taken for a payment without
 * its preimage.
 */
export const fundOnArkade: ClientFund<T, Base, P> = {
  leg: 'arkade',
  ours: 'your coins on Arkade',
  whenSpoiled: 'your coins on Arkade are taken back as soon as that can be done.',
  fields: { source: arkadeLeg, base, stages },
  begin: (deal) => ({ at: 'waiting', deal, said: 'pending', coins: [], expiresAt: null, proof: null }),
  step,
  resume: resumeRefund,
  meanwhile: (t, p, event, now) => (event.is === 'vhtlc.seen' ? noted(t, p, event, now) : null),
  base: baseOf,
  unclaimed: (p) => fundedAs(p),
  bought: (p) => ({ at: 'claimed', ...baseOf(p) }),
  spoiled: (p) => fundedAs(p),
  // With our secret out what it was given for comes before anything that may come back.
  awaits: ({ at, proof }) =>
    at === 'waiting' || at === 'funded' || (proof !== null && (at === 'asking' || at === 'refunding')),
  isTaken: ({ proof }) => proof !== null,
  isBack: lockOpen,
  aloneFrom: ({ deal }) => deal.source.vhtlc.refundLocktime,
  mostPaid: ({ coins }) => largest(coins),
  watches,
  deadline(p) {
    switch (p.at) {
      case 'waiting':
      case 'funded':
      case 'asking':
      case 'claimed':
        return p.deal.source.vhtlc.refundLocktime;
      case 'done':
        return p.over ? null : p.deal.source.vhtlc.refundLocktime;
      case 'refunding':
      case 'lapsed':
        return null;
    }
  },
  open: (p) => p.at !== 'lapsed' && !(p.at === 'done' && p.over),
  words: {
    waiting: new Set(['expired']),
    lapsed: new Set(),
    funded: (isPayment) => (isPayment ? new Set([...whilePaid, 'clientredeemed']) : whileLocked),
  },
  seenAs: () => 'clientfunded',
  rescue(t, { at, deal, coins }) {
    const isOpen = at === 'waiting' || at === 'funded' || at === 'asking' || at === 'refunding' || at === 'claiming';
    const { outpoint = null } = coins.find(({ spent }) => !spent) ?? {};
    return isOpen ? vhtlcLeg('taker', { ...deal.source, keyIndex: t.keyIndex }, outpoint) : null;
  },
  view,
};

function step(t: T, p: P, event: Event, now: Clocks, { secret, fate }: Beside): Outcome<P> {
  const isAwaited = secret === 'ours' && fate === null;
  if (event.is === 'vhtlc.seen') {
    const outcome = p.at === 'claimed' ? whenClaimedSeen(t, p, event, now) : whenCoinsSeen(t, p, event, now, isAwaited);
    return outcome === 'stay' && lockOpen(p, now) ? whenNothingCame(p) : outcome;
  }
  switch (p.at) {
    case 'waiting':
      return whenWaiting(p, event);
    case 'funded':
      return whenFunded(t, p, event, now);
    case 'asking':
      return whenAsking(t, p, event, now, isAwaited);
    case 'refunding':
      return whenRefunding(t, p, event, now, isAwaited);
    default:
      return 'stay';
  }
}

/**
 * Only a look after the locktime says that nothing is left, no clock: a node that was off past it may have been paid
 * meanwhile, and nobody else takes such a coin back before it expires (facts/faults.md 124).
 */
function whenNothingCame(p: P): Outcome<P> {
  switch (p.at) {
    case 'waiting':
      return move<P>({ at: 'lapsed', ...baseOf(p) });
    case 'funded':
      // Its provider locked for nothing, and nothing was claimed (facts/faults.md 327).
      return p.coins.length === 0 ? move<P>({ at: 'lapsed', ...baseOf(p) }) : 'stay';
    case 'claimed':
      return isLeftToProvider(p)
        ? move<P>({ at: 'done', refundTxid: null, over: true, ...baseOf(p) })
        : move<P>(fundedAs(withUntaken(p)));
    case 'done':
      return p.over ? 'stay' : move<P>({ ...p, over: true });
    default:
      return 'stay';
  }
}

function whenWaiting(p: Stage<'waiting'>, event: Event): Outcome<P> {
  switch (event.is) {
    case 'cancel.requested':
      // Nothing of ours is there yet: what comes all the same is asked back at once.
      return p.coins.length > 0 || p.cancelled === true ? 'stay' : move<P>({ ...p, cancelled: true });
    case 'provider.seen':
      return withWord(p, event.status);
    default:
      return 'stay';
  }
}

type Seen = Event & { is: 'vhtlc.seen' };

/**
 * One of several is left to a provider that took none in all its time: the coin of the price, or the largest. Should it
 * take another one after all, this one is ours.
 */
function withUntaken(p: Stage<'claimed'>): Base {
  const unspent = p.coins.filter(({ spent }) => !spent).sort((a, b) => Number(b.amount - a.amount));
  const untaken = (unspent.find(({ amount }) => amount === p.deal.source.amount) ?? unspent[0])?.outpoint;
  if (p.proof !== null || untaken === undefined) return p;
  const coins = p.coins.map((one) => (sameOutpoint(one.outpoint, untaken) ? { ...one, spent: true } : one));
  return { ...p, coins, untaken };
}

/**
 * A coin that the provider never took in all its time is left to it: what we bought is ours. Another one beside it is
 * ours, and a node that slept over the locktime looks first which of them was taken (facts/faults.md 119).
 */
function isLeftToProvider({ coins, proof }: Base): boolean {
  return coins.filter(({ spent }) => !spent).length <= (proof === null ? 1 : 0);
}

/**
 * A refund is never begun while the secret is out, and a coin that the provider takes for it is the provider's. What
 * was noted is not noted again at each look until our claim is buried (facts/faults.md 303).
 */
function noted(t: T, p: Base, event: Seen, now: Clocks): Outcome<Base> {
  const outcome = whenCoinsSeen(t, fundedAs(p), event, now, false);
  if (outcome === 'stay') return outcome;
  const { progress, ...rest } = outcome;
  const isSame =
    progress.proof === p.proof && progress.expiresAt === p.expiresAt && sameExtras(progress.coins, p.coins);
  return isSame && rest.flag === undefined ? 'stay' : { ...rest, progress: baseOf(progress) };
}

function whenClaimedSeen(t: T, p: Stage<'claimed'>, event: Seen, now: Clocks): Outcome<P> {
  const outcome = whenCoinsSeen(t, fundedAs(p), event, now, false);
  // Taken before what it was given for was ours, so that nothing is new: another coin is ours (facts/faults.md 119).
  if (outcome === 'stay') return p.proof !== null && hasUnspent(p.coins) ? move<P>(fundedAs(p)) : 'stay';
  if (outcome.progress.proof !== null) return outcome;
  return { ...outcome, progress: { at: 'claimed', ...baseOf(outcome.progress) } };
}
