import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import { after, day, furthest, type Clocks, type Unix } from '../../domain/time.ts';
import { buried } from '../../legs/onchain/depth.ts';
import type { SeenHtlcCoin } from '../../legs/onchain/events.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../swap/machine.ts';
import { whenCalledSpent, whileTakingCoin, type CoinTaker } from '../../swap/halves/bitcoin/taking.ts';
import { lockOpen, paidCoins, refundable, sameCoins } from './coins.ts';
import { rest } from './rest.ts';
import {
  dealtOf,
  type Dealt,
  type PaidCoin,
  type Refunding,
  type TakeBitcoinArkadeProgress,
  type TakeBitcoinArkadeTerms,
} from './terms.ts';

type T = TakeBitcoinArkadeTerms;
type P = TakeBitcoinArkadeProgress;

/** The next coin that the locktime gives back; null while there is none, or it is not open. */
export function nextRefund(t: T, p: Dealt, now: Clocks): Step<P> | null {
  const coin = lockOpen(p, now) ? refundable(p) : null;
  return coin === null ? null : refund(t, p, coin, now);
}

function refund(t: T, p: Dealt, { outpoint: coin }: PaidCoin, now: Clocks): Step<P> {
  const next: Refunding = { coin, spends: [], ...dealtOf(p) };
  return move<P>({ at: 'refunding', ...next }, refundEffect(t, next, now));
}

function refundEffect(t: T, p: Refunding, now: Clocks, leastRate = 0): Effect {
  return {
    do: 'htlc.spend',
    purpose: 'refund',
    terms: p.deal.source.htlc,
    script: p.deal.source.script,
    key: { branch: 'taker', index: t.keyIndex },
    coin: p.coin,
    leastRate,
    deadline: refundBy(p, now),
  };
}

/**
 * Nobody else can take the coin, so that it may wait for a day of cheap blocks, counted anew at each raise. Where our
 * secret is out the provider can: then it is late from the first moment on.
 */
function refundBy({ deal, payout }: Dealt, now: Clocks): Unix {
  const { refundLocktime } = deal.source.htlc;
  return payout === 'lost' ? refundLocktime : after(furthest(now.bitcoin).mtp ?? refundLocktime, day);
}

function refundOf(t: T, now: Clocks): CoinTaker<P & { at: 'refunding' }, Step<P>> {
  return {
    purpose: 'refund',
    coin: (p) => p.coin,
    effect: (p, leastRate) => refundEffect(t, p, now, leastRate),
    taken: (p, txid) => refunded(t, p, txid, now),
  };
}

export function whenRefunding(t: T, p: P & { at: 'refunding' }, event: Event, now: Clocks): Outcome<P> {
  return event.is === 'htlc.seen'
    ? whenSeen(t, p, event, now)
    : (whileTakingCoin(refundOf(t, now), p, event) ?? 'stay');
}

function refunded(t: T, p: P & { at: 'refunding' }, txid: Txid, now: Clocks): Step<P> {
  const spend = { txid, by: 'refund', mined: true } as const;
  const coins = p.coins.map((coin) => (sameOutpoint(coin.outpoint, p.coin) ? { ...coin, spend } : coin));
  return onward(t, { ...dealtOf(p), coins }, now);
}

function onward(t: T, p: Dealt, now: Clocks): Step<P> {
  return nextRefund(t, p, now) ?? move<P>(rest(p));
}

function whenSeen(t: T, p: P & { at: 'refunding' }, event: Event & { is: 'htlc.seen' }, now: Clocks): Outcome<P> {
  const next = { ...p, coins: paidCoins(p.deal, event) };
  const own = event.coins.find(({ outpoint }) => sameOutpoint(outpoint, p.coin));
  const isBuried = buried(own?.spend?.height ?? null, event.height);
  if (isBuried && isTaken(p, own?.spend ?? null)) return { ...onward(t, dealtOf(next), now), supersedes: true };
  const again = own === undefined ? null : whenCalledSpent(refundOf(t, now), next, own, event.height);
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
