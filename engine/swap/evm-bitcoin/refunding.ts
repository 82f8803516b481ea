import { btc } from '../../domain/money.ts';
import { furthest, unix, type Clocks, type Unix } from '../../domain/time.ts';
import { buried } from '../../legs/onchain/depth.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { whenBacking } from '../evm-source/claiming.ts';
import { timelockOf } from '../evm-source/terms.ts';
import { broadcastEffect } from '../exit.ts';
import { move, type Event, type Outcome, type Step } from '../machine.ts';
import { costEffects, keptEffects, refundEffect } from '../onchain-target/effects.ts';
import { claimOf, endOfCoin, ownCoin } from '../onchain-target/seen.ts';
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
        ? claiming(t, p, { redeem: p.redeem, refundTxid: p.refundTxid, end: null })
        : 'stay';
    case 'onchain.prepared':
      return event.purpose === 'refund' && p.redeem === undefined
        ? move<P>({ ...p, refundTxid: event.txid }, broadcastEffect(p.output, event))
        : 'stay';
    case 'onchain.stuck':
      return event.txid === p.refundTxid && p.redeem === undefined ? again(t, p, event.leastRate) : 'stay';
    default:
      return whenFundingEnds(t, p, event) ?? whenRefundEnds(t, p, event);
  }
}

function again(t: T, { halted: _, ...p }: Refunding, leastRate = 0): Step<P> {
  return move<P>(p, refundEffect(t, p, refundDeadline(t), leastRate));
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
  if (claim === null) {
    // They were wrong: nothing else keeps our refund in the mempool, and raises what it pays (facts/faults.md 125).
    const isBuried = buried(coin.spend?.height ?? null, event.height);
    return p.halted === true && !isBuried ? again(t, p) : 'stay';
  }
  if (end !== null || p.refundTxid === null || cannotWait(t, now))
    return claiming(t, p, { ...claim, refundTxid: end === null ? p.refundTxid : null, end });
  const { redeem, preimage } = claim;
  if (p.redeem?.txid === redeem.txid) return 'stay';
  return {
    progress: { ...p, redeem },
    effects: keptEffects(t, p, redeem),
    interrupts: true,
    learned: preimage,
  };
}

function whenRefundEnds(t: T, p: Refunding, event: Event): Outcome<P> {
  if (event.is === 'onchain.final' && p.refundTxid !== null)
    return {
      ...returned(p, event.txid),
      ledger: [{ kind: 'network-fee-paid', ...btc('bitcoin', -event.fee) }],
    };
  if (event.is !== 'onchain.refused') return whenBacking(t, p, event);
  if (p.redeem !== undefined) return 'stay';
  // Buried, and not ours, signed or not: the watch reads whose it is, or that it is none.
  if (event.why === 'spent') return move<P>({ ...p, refundTxid: null, halted: true });
  if (event.txid !== p.refundTxid) return 'stay';
  return { ...again(t, { ...p, refundTxid: null }), flag: `The Bitcoin node refused our refund: ${event.reason}.` };
}
