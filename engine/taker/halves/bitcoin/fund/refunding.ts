import { sameOutpoint, type Txid } from '../../../../domain/outpoint.ts';
import { after, day, furthest, type Clocks, type Unix } from '../../../../domain/time.ts';
import { buried } from '../../../../legs/onchain/depth.ts';
import type { SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../../../swap/machine.ts';
import {
  takingCoinAnew,
  whenCalledSpent,
  whileTakingCoin,
  type CoinTaker,
} from '../../../../swap/halves/bitcoin/taking.ts';
import type { Beside, Fate } from '../../fund.ts';
import { lockOpen, paidCoins, refundable, rest, sameCoins } from './coins.ts';
import { baseOf, type BitcoinFunding, type BitcoinFundTerms, type Base, type PaidCoin, type Stage } from './terms.ts';

type T = BitcoinFundTerms;
type P = BitcoinFunding;
type Refunding = Stage<'refunding'>;

/** The next coin that the locktime gives back; null while there is none, or it is not open. */
export function nextRefund(t: T, p: Base, now: Clocks, fate: Fate): Step<P> | null {
  const coin = lockOpen(p, now) ? refundable(p, fate) : null;
  return coin === null ? null : refund(t, p, coin, now, fate);
}

function refund(t: T, p: Base, { outpoint: coin }: PaidCoin, now: Clocks, fate: Fate): Step<P> {
  const next: Refunding = { at: 'refunding', coin, spends: [], ...baseOf(p) };
  return move<P>(next, refundEffect(t, next, now, fate));
}

function refundEffect(t: T, p: Refunding, now: Clocks, fate: Fate, leastRate = 0): Effect {
  return {
    do: 'htlc.spend',
    purpose: 'refund',
    terms: p.deal.source.htlc,
    script: p.deal.source.script,
    key: { branch: 'taker', index: t.keyIndex },
    coin: p.coin,
    leastRate,
    deadline: refundBy(p, now, fate),
  };
}

/**
 * Nobody else can take the coin, so that it may wait for a day of cheap blocks, counted anew at each raise. Where our
 * secret is out the provider can: then it is late from the first moment on.
 */
function refundBy({ deal }: Base, now: Clocks, fate: Fate): Unix {
  const { refundLocktime } = deal.source.htlc;
  return fate === 'lost' ? refundLocktime : after(furthest(now.bitcoin).mtp ?? refundLocktime, day);
}

function refundOf(t: T, now: Clocks, fate: Fate): CoinTaker<Refunding, Step<P>> {
  return {
    purpose: 'refund',
    coin: (p) => p.coin,
    effect: (p, leastRate) => refundEffect(t, p, now, fate, leastRate),
    taken: (p, txid) => refunded(t, p, txid, now, fate),
  };
}

export function resumeRefund(t: T, p: P, now: Clocks, { fate }: Beside): readonly Effect[] {
  return p.at === 'refunding' ? takingCoinAnew(refundOf(t, now, fate), p) : [];
}

export function whenRefunding(t: T, p: Refunding, event: Event, now: Clocks, fate: Fate): Outcome<P> {
  return event.is === 'htlc.seen'
    ? whenSeen(t, p, event, now, fate)
    : (whileTakingCoin(refundOf(t, now, fate), p, event) ?? 'stay');
}

function refunded(t: T, p: Refunding, txid: Txid, now: Clocks, fate: Fate): Step<P> {
  const spend = { txid, by: 'refund', mined: true } as const;
  const coins = p.coins.map((coin) => (sameOutpoint(coin.outpoint, p.coin) ? { ...coin, spend } : coin));
  return onward(t, { ...baseOf(p), coins }, now, fate);
}

function onward(t: T, p: Base, now: Clocks, fate: Fate): Step<P> {
  return nextRefund(t, p, now, fate) ?? move<P>(rest(p, fate));
}

function whenSeen(t: T, p: Refunding, event: Event & { is: 'htlc.seen' }, now: Clocks, fate: Fate): Outcome<P> {
  const next = { ...p, coins: paidCoins(p, event) };
  const own = event.coins.find(({ outpoint }) => sameOutpoint(outpoint, p.coin));
  const isBuried = buried(own?.spend?.height ?? null, event.height);
  if (isBuried && isTaken(p, own?.spend ?? null)) return { ...onward(t, baseOf(next), now, fate), supersedes: true };
  const again = own === undefined ? null : whenCalledSpent(refundOf(t, now, fate), next, own, event.height);
  if (again !== null) return again;
  return sameCoins(next.coins, p.coins) ? 'stay' : move<P>(next);
}

/**
 * By the provider, or by a refund of ours that nothing else tells the end of. One that is on its way ends by itself.
 */
function isTaken({ spends, halted }: Refunding, spend: SeenHtlcCoin['spend']): boolean {
  if (spend === null || spend.by === 'unknown') return false;
  return spend.by === 'claim' || halted === true || !spends.includes(spend.txid);
}
