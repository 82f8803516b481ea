import { stepTo, type Along, type News } from '../../answer.ts';
import type { LostFact } from '../../fund.ts';
import type { Surety } from '../../surety.ts';
import type { Effect, Event, LedgerLine, Outcome, Step } from '../../../machine.ts';
import { lossUndone, feePaid, lossOf } from '../../../ledger.ts';
import { isOurs, whenCalledSpent, whileTakingCoin, type CoinTaker } from '../taking.ts';
import { whenCosignedAgain } from './cosign.ts';
import { costEffects, keptEffects, resendEffects, takeBack } from './effects.ts';
import { claimOf, endOfCoin, fundingEnd, jointClaimOf, ownCoin } from './seen.ts';
import {
  isSettled,
  revealedOf,
  type CoinEnd,
  type OnchainFund,
  type OnchainTargetTerms as T,
  type Redeem,
  type Revealed,
} from './terms.ts';

type At = { readonly at: 'claiming' | 'claimed' | 'lost' };

/**
 * The client's claim was seen: our coin is watched until what took it is buried. Null: the event does not concern it.
 */
export function whenRevealed<S extends Revealed & At>(t: T, p: S, event: Event, surety: Surety): Outcome<S> | null {
  const joint = whenCosignedAgain(t, p, event);
  if (joint !== null) return joint;
  const back = p.at === 'lost' && p.cosign !== true ? whenTakingBack(t, p, event, surety) : null;
  return back === null ? whenCoinEnds(t, p, event) : beforeFunding(t, back);
}

/** The client's claim and what funds it; lost, our refund in place of the claim. */
export function resumeRevealed(t: T, p: Revealed & At, surety: Surety): readonly Effect[] {
  if (isSettled(p)) return [];
  if (p.at !== 'lost') return keptEffects(t, p, p.end === null ? p.redeem : null);
  return [...(p.end === null ? [takeBack(t, p, surety)] : []), ...keptEffects(t, p, null)];
}

/** Our refund goes before our funding, which lets nothing by until it is buried where it has no change. */
function beforeFunding<S extends Revealed & At>(t: T, step: Step<S>): Step<S> {
  if (step.supersedes === true || step.effects.length === 0) return step;
  return { ...step, interrupts: true, effects: [...step.effects, ...keptEffects(t, step.progress, null)] };
}

/**
 * The client's refund is final and its claim of our coin may never confirm: the coin is refunded where no claim of it
 * shows. Our refund yields to any claim that does, so that a chain that lied costs the client nothing.
 */
function whenTakingBack<S extends Revealed & At>(t: T, p: S, event: Event, surety: Surety): Step<S> | null {
  if (p.end !== null || event.is === 'onchain.final') return null;
  const refund: CoinTaker<S, Step<S>> = {
    purpose: 'refund',
    coin: (of) => of.output,
    effect: (of, leastRate) => takeBack(t, of, surety, leastRate),
    taken: (of, _, ledger) => ended(t, of, 'refunded', ledger),
  };
  if (event.is === 'htlc.seen') {
    const coin = ownCoin(p, event);
    return coin && whenCalledSpent(refund, p, coin, event.height);
  }
  // The funding may be refused as well.
  return 'txid' in event && event.txid === p.funding?.payment.txid ? null : whileTakingCoin(refund, p, event);
}

/** What becomes of our coin; null for what is not about it. */
function whenCoinEnds<S extends Revealed & At>(t: T, p: S, event: Event): Outcome<S> | null {
  if (event.is === 'htlc.seen') {
    const coin = ownCoin(p, event);
    if (coin === null || p.end !== null) return 'stay';
    const end = endOfCoin(coin, event);
    const redeem = claimOf(t, coin)?.redeem ?? jointClaimOf(coin) ?? p.redeem;
    if (end !== null) return ended(t, { ...p, redeem }, end);
    return redeem.txid === p.redeem.txid && redeem.unsigned === p.redeem.unsigned
      ? 'stay'
      : claimShown({ ...p, redeem }, p.redeem);
  }
  const funding = fundingEnd(p, event);
  if (funding?.is === 'buried') return settled<S>({ ...p, buried: true }, { ledger: funding.ledger });
  if (funding?.is === 'spent' || funding?.is === 'late') return p.end === null ? ended(t, p, 'void') : 'stay';
  if (event.is === 'onchain.final' && isOurs(p, event.txid)) {
    const ledger = [feePaid(event)];
    if (p.end === null) return ended(t, p, 'refunded', ledger);
    if (p.end === 'refunded') return stepTo(p, { ledger });
  }
  return event.is === 'onchain.final' || event.is === 'onchain.refused' ? 'stay' : null;
}

/**
 * A claim that we signed with its client shows whole: from here on it is kept on the chain as any other, or a
 * reorganisation that takes it leaves the coin to nobody. It waits for nothing that keeps our funding there, and that
 * for nothing of the client's.
 */
function claimShown<S extends Revealed & At>(p: S, { unsigned }: Redeem): Step<S> {
  const isFirst = unsigned === true && p.at !== 'lost';
  return stepTo(p, isFirst ? { effects: resendEffects(p.output, p.redeem) } : {});
}

/** For good: whoever has the coin now keeps it. */
function ended<S extends Revealed & At>(t: T, p: S, end: CoinEnd, ledger: readonly LedgerLine[] = []): Step<S> {
  const next: S = { ...p, end };
  if (end === 'claimed') return settled(next, {});
  // What it cost was not told of: its broadcast ended long since, or ends here.
  const cost = ledger.length > 0 || end === 'void' ? [] : costEffects(t, next);
  const effects = cost.length === 0 ? [] : [...cost, ...keptEffects(t, next, null)];
  if (p.at === 'lost')
    return settled(next, {
      effects,
      ledger: [...ledger, lossUndone('bitcoin', t)],
      flag: neither,
    });
  return settled(next, {
    effects,
    ...(ledger.length === 0 ? {} : { ledger }),
    flag:
      `Both legs of this swap are ours: the client's claim took nothing, for ` +
      `${end === 'void' ? 'what funded it was spent elsewhere' : 'our refund took the coin back'}, and its lock is ` +
      `claimed. ${t.targetAmount} sats are owed to the client: pay them to ` +
      `${t.targetAddress ?? `where its claim ${p.redeem.txid} pays`}.`,
  });
}

function settled<S extends Revealed & At>(progress: S, { effects = [], ...along }: Along): Step<S> {
  const over = isSettled(progress);
  return stepTo(progress, {
    effects,
    ...along,
    ...(effects.length > 0 ? { interrupts: true } : over ? { supersedes: true } : {}),
  });
}

const neither =
  'The claim of the client did not take our coin, and its lock went back to it all the same: nothing is lost, and ' +
  'nothing is owed.';

/** The client took back what it gave: our coin is taken back, unless it has that for good. */
export function whenLost(t: T, p: Revealed, took: string, surety: Surety): News<LostFact<OnchainFund>> {
  const isGone = p.end === null || p.end === 'claimed';
  return {
    fact: 'lost',
    revealed: revealedOf(p),
    along: {
      // Its claim is not helped any more; our funding still has to be buried.
      // Nor is the coin taken back that our partial signature gave away.
      ...(p.end === null
        ? {
            effects: [...(p.cosign === true ? [] : [takeBack(t, p, surety)]), ...keptEffects(t, p, null)],
            interrupts: true as const,
          }
        : {}),
      ...(isGone
        ? { ledger: [lossOf('bitcoin', t)], flag: `${took} although it had claimed our coin.` }
        : { flag: neither }),
    },
  };
}
