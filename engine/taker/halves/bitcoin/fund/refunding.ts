import { sameOutpoint, type Txid } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { buried } from '../../../../legs/onchain/depth.ts';
import { isUnread, type SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../../../swap/machine.ts';
import {
  spendEffect,
  takingCoinAnew,
  whenCalledSpent,
  whileTakingCoin,
  type CoinTaker,
} from '../../../../swap/halves/bitcoin/taking.ts';
import type { Beside, Fate } from '../../fund.ts';
import { askEffect, refundBy } from './effects.ts';
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
  if (p.joint === true && !lockOpen(p, now)) return askEffect(t, p, p.coin, now, leastRate);
  const { htlc: terms, script } = p.deal.source;
  const htlc = { purpose: 'refund', terms, script, key: { branch: 'taker', index: t.keyIndex } } as const;
  return spendEffect(htlc, p, refundBy(p, now, fate), leastRate);
}

export function refundOf(t: T, now: Clocks, fate: Fate): CoinTaker<Refunding, Step<P>> {
  return {
    purpose: 'refund',
    coin: (p) => p.coin,
    effect: (p, leastRate) => refundEffect(t, p, now, fate, leastRate),
    taken: (p, txid) => refunded(t, p, txid, now, fate),
  };
}

export function resumeRefund(t: T, p: P, now: Clocks, { fate }: Beside): readonly Effect[] {
  if (p.at === 'asking') return [askEffect(t, p, p.coin, now)];
  return p.at === 'refunding' ? takingCoinAnew(refundOf(t, now, fate), p) : [];
}

export function whenRefunding(t: T, p: Refunding, event: Event, now: Clocks, fate: Fate): Outcome<P> {
  switch (event.is) {
    case 'htlc.seen':
      return whenSeen(t, p, event, now, fate);
    case 'provider.declined':
    case 'provider.claim-withheld':
      return p.joint === true ? withoutProvider(t, p, now, fate) : 'stay';
    default:
      return whileTakingCoin(refundOf(t, now, fate), p, event) ?? 'stay';
  }
}

/** It signs no dearer one: what was sent may be mined all the same, and the locktime gives the coin back if not. */
function withoutProvider(t: T, { joint: _, ...p }: Refunding, now: Clocks, fate: Fate): Outcome<P> {
  return move<P>(p, refundEffect(t, p, now, fate));
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
function isTaken({ spends, halted, joint }: Refunding, spend: SeenHtlcCoin['spend']): boolean {
  if (spend?.by === 'key') return spend.purpose === 'refund' && (joint === undefined || !spends.includes(spend.txid));
  if (spend === null || isUnread(spend)) return false;
  return spend.by === 'claim' || halted === true || !spends.includes(spend.txid);
}
