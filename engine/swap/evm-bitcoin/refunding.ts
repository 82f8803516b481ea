import { furthest, unix, type Clocks, type Unix } from '../../domain/time.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { whenBacking } from '../evm-source/claiming.ts';
import { timelockOf } from '../evm-source/terms.ts';
import type { Effect, Event, Outcome, Step } from '../machine.ts';
import { costEffects, keptEffects, refundEffect } from '../onchain-target/effects.ts';
import { claimOf, endOfCoin, ownCoin } from '../onchain-target/seen.ts';
import type { Placed } from '../onchain-target/terms.ts';
import { whenCalledSpent, whileTakingCoin, type CoinTaker, type CoinTaking } from '../onchain-taking.ts';
import { claiming, returned } from './coin.ts';
import { whenFundingEnds } from './sending.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

type P = EvmBitcoinProgress;
type T = EvmBitcoinTerms;
type Refunding = P & { at: 'refunding' };

/** By median time past our coin is to be back before the client can take its lock. */
export function refundDeadline(t: T): Unix {
  return unix(Math.max(0, timelockOf(t) - t.policy.mtpLag - t.policy.margin));
}

/** From here on of its own clock, should that trail no further, a chain leaves half of the margin to claim the client's lock. */
export function lastClaimTime(t: T): Unix {
  return unix(Math.max(0, timelockOf(t) - t.policy.mtpLag - Math.floor(t.policy.margin / 2)));
}

function cannotWait(t: T, now: Clocks): boolean {
  const evm = now[t.network];
  const mtp = evm === undefined ? null : furthest(evm).mtp;
  return mtp !== null && latestByChain({ mtp }, t.policy) >= lastClaimTime(t) + t.policy.mtpLag;
}

/** Our refund is on its way; the client's claim may still win. */
export function whenRefunding(t: T, p: Refunding, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'htlc.seen':
      return whenCoinSeen(t, p, event, now);
    case 'clock':
      return p.redeem !== undefined && cannotWait(t, now)
        ? claiming(t, p, { redeem: p.redeem, spends: p.spends, end: null })
        : 'stay';
    default:
      return whenFundingEnds(t, p, event) ?? whileTakingBack(t, p, event) ?? whenBacking(t, p, event);
  }
}

/** Asks for our refund of the coin, at `leastRate` sats per virtual byte at least. */
export function takeBack(t: T, p: Placed, leastRate = 0): Effect {
  return refundEffect(t, p, refundDeadline(t), leastRate);
}

/** How our refund of the coin goes; `taken` is the step once it is buried. */
export function refundOf<C extends Placed & CoinTaking>(
  t: T,
  taken: CoinTaker<C, Step<P>>['taken'],
): CoinTaker<C, Step<P>> {
  return { purpose: 'refund', coin: (p) => p.output, effect: (p, leastRate) => takeBack(t, p, leastRate), taken };
}

function refundOfCoin(t: T): CoinTaker<Refunding, Step<P>> {
  return refundOf(t, (p, txid, ledger) => ({ ...returned(p, txid), ledger }));
}

/** Beside a claim of the client's our refund is sent and raised no more, and may be mined all the same. */
function whileTakingBack(t: T, p: Refunding, event: Event): Step<P> | null {
  return p.redeem === undefined || event.is === 'onchain.final' ? whileTakingCoin(refundOfCoin(t), p, event) : null;
}

/**
 * The client's claim beside a refund of ours that is signed: either may be mined, and claiming the lock now could leave both legs with
 * us. The refund is sent and raised no more, the claim is sent on, and whichever is buried decides, unless that can wait no longer
 * (facts/faults.md 17, 40).
 */
function whenCoinSeen(t: T, p: Refunding, event: Event & { is: 'htlc.seen' }, now: Clocks): Outcome<P> {
  const coin = ownCoin(p, event);
  if (coin === null) return 'stay';
  const end = endOfCoin(coin, event);
  if (end === 'refunded' && coin.spend !== null)
    return {
      ...returned(p, coin.spend.txid),
      interrupts: true,
      effects: [...costEffects(t, p), ...keptEffects(t, p, null)],
    };
  const claim = claimOf(t, coin);
  if (claim === null) return whenCalledSpent(refundOfCoin(t), p, coin, event.height) ?? 'stay';
  if (end !== null || p.spends.length === 0 || cannotWait(t, now))
    return claiming(t, p, { ...claim, spends: end === null ? p.spends : [], end });
  const { redeem, preimage } = claim;
  if (p.redeem?.txid === redeem.txid) return 'stay';
  return {
    progress: { ...p, redeem },
    effects: keptEffects(t, p, redeem),
    interrupts: true,
    learned: preimage,
  };
}
