import type { Clocks } from '../../../../domain/time.ts';
import { stepTo } from '../../answer.ts';
import type { Surety } from '../../surety.ts';
import type { Effect, Event, Outcome, EventOf } from '../../../machine.ts';
import { whenCalledSpent, whileTakingCoin, type CoinTaker } from '../taking.ts';
import { costEffects, keptEffects, takeBack } from './effects.ts';
import { claimOf, endOfCoin, ownCoin } from './seen.ts';
import { returned, revealed, whenBurying } from './standing.ts';
import type { OnchainTargetTerms as T, Stage, Moved, Fact, Reply } from './terms.ts';

type Look = EventOf<'htlc.seen'>;
type Refunding = Stage<'refunding'>;

/** Our refund is on its way; the client's claim may still win. */
export function whenRefunding<S extends Refunding>(t: T, p: S, event: Event, now: Clocks, surety: Surety): Reply<S> {
  switch (event.is) {
    case 'htlc.seen':
      return whenCoinSeen(t, p, event, now, surety);
    case 'clock':
      return p.redeem !== undefined && surety.cannotWait(now)
        ? revealed(t, p, { redeem: p.redeem, spends: p.spends, end: null })
        : 'stay';
    default: {
      const end = whenBurying(t, p, event, surety);
      if (end !== null) return end;
      // Beside a claim of the client's our refund is sent and raised no more, and may be mined all the same.
      return p.redeem === undefined || event.is === 'onchain.final'
        ? whileTakingCoin(refundOfCoin<S>(t, surety), p, event)
        : null;
    }
  }
}

/** Beside a claim of the client's our refund is sent no more. */
export function resumeRefund(t: T, p: Refunding, surety: Surety): readonly Effect[] {
  const { redeem = null } = p;
  return [...(redeem === null ? [takeBack(t, p, surety)] : []), ...keptEffects(t, p, redeem)];
}

function refundOfCoin<S extends Refunding>(t: T, surety: Surety): CoinTaker<S, Fact> {
  return {
    purpose: 'refund',
    coin: (p) => p.output,
    effect: (p, leastRate) => takeBack(t, p, surety, leastRate),
    taken: (p, txid, ledger) => returned(p, txid, { ledger }),
  };
}

/**
 * The client's claim beside a refund of ours that is signed: either may be mined, and taking what the client gave now
 * could leave both legs with us. The refund is sent and raised no more, the claim is sent on, and whichever is buried
 * decides, unless that can wait no longer (facts/faults.md 17, 40).
 */
function whenCoinSeen<S extends Refunding>(t: T, p: S, event: Look, now: Clocks, surety: Surety): Moved<S> {
  const coin = ownCoin(p, event);
  if (coin === null) return 'stay';
  const end = endOfCoin(coin, event);
  if (end === 'refunded' && coin.spend !== null)
    return returned(p, coin.spend.txid, {
      interrupts: true,
      effects: [...costEffects(t, p), ...keptEffects(t, p, null)],
    });
  const claim = claimOf(t, coin);
  if (claim === null)
    return (whenCalledSpent(refundOfCoin<S>(t, surety), p, coin, event.height) as Outcome<S>) ?? 'stay';
  if (end !== null || p.spends.length === 0 || surety.cannotWait(now))
    return revealed(t, p, { ...claim, spends: end === null ? p.spends : [], end });
  const { redeem, preimage } = claim;
  if (p.redeem?.txid === redeem.txid) return 'stay';
  return stepTo<S>({ ...p, redeem }, { effects: keptEffects(t, p, redeem), interrupts: true, learned: preimage });
}
