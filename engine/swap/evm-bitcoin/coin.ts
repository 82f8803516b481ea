import type { Preimage } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { claimEffect } from '../evm-source/claiming.ts';
import { baseOf, depositedOf, nothingAsked, ownLocks, type Deposited } from '../evm-source/terms.ts';
import { move, type Event, type Step } from '../machine.ts';
import { keptEffects } from '../onchain-target/effects.ts';
import { claimOf, endOfCoin, ownCoin } from '../onchain-target/seen.ts';
import { placedOf, type CoinEnd, type Placed, type Redeem } from '../onchain-target/terms.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

type P = EvmBitcoinProgress;
type T = EvmBitcoinTerms;

/** The coin is there, and what has it already counts. */
export function standing(t: T, p: Deposited & Placed, event: Event & { is: 'htlc.seen' }): Step<P> {
  return coinSeen(t, p, event) ?? move<P>({ at: 'locked', ...depositedOf(p), ...placedOf(p) });
}

/** The client's claim, or a refund of ours that stands: null for what decides nothing. */
export function coinSeen(t: T, p: Deposited & Placed, event: Event & { is: 'htlc.seen' }): Step<P> | null {
  const coin = ownCoin(p, event);
  if (coin === null) return null;
  const claim = claimOf(t, coin);
  const end = endOfCoin(coin, event);
  if (claim !== null) return claiming(t, p, { ...claim, spends: [], end });
  return end === 'refunded' && coin.spend !== null ? returned(p, coin.spend.txid) : null;
}

/** Seen in a mempool is enough: the secret is saved, and from here on our coin is the client's (facts/faults.md 15, 16). */
export function claiming(
  t: T,
  p: Deposited & Placed,
  claim: {
    readonly redeem: Redeem;
    /** Left out where it was saved before. */
    readonly preimage?: Preimage;
    /** Of ours that were signed before. */
    readonly spends: readonly Txid[];
    readonly end: CoinEnd | null;
  },
): Step<P> {
  const { redeem, preimage, spends, end } = claim;
  return {
    progress: { at: 'claiming', claimTxid: null, ...depositedOf(p), ...placedOf(p), redeem, spends, end },
    effects: [claimEffect(t, p), ...keptEffects(t, p, end === null ? redeem : null)],
    // A refund of ours is sent and raised no more.
    interrupts: true,
    ...(preimage === undefined ? {} : { learned: preimage }),
  };
}

/** Our coin is ours again for good: only now may the client's refund be signed. */
export function returned(p: Deposited & Placed, refundTxid: Txid): Step<P> {
  return move<P>({
    at: 'returned',
    ...baseOf(p),
    ...placedOf(p),
    ...nothingAsked,
    refundTxid,
    fenced: false,
    strays: ownLocks(p),
    counted: p.deposit,
  });
}
