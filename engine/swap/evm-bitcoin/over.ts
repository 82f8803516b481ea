import { btc } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { whenClaiming } from '../evm-source/claiming.ts';
import * as source from '../evm-source/over.ts';
import { isFact, stepTo } from '../halves/half.ts';
import { move, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { costEffects, keptEffects } from '../onchain-target/effects.ts';
import { claimOf, endOfCoin, fundingEnd, ownCoin } from '../onchain-target/seen.ts';
import { isSettled, revealedOf, type CoinEnd, type Revealed } from '../onchain-target/terms.ts';
import { isOurs, whenCalledSpent, whileTakingCoin } from '../onchain-taking.ts';
import { refundOf, takeBack } from './refunding.ts';
import { whenDoubted } from './sending.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

type P = EvmBitcoinProgress;
type T = EvmBitcoinTerms;
type Open = P & Revealed;
type Lost = P & { at: 'lost' };

/** The client's claim was seen: its lock is claimed, whatever becomes of anything else. */
export function whenRevealed(t: T, p: P & { at: 'claiming' }, event: Event): Outcome<P> {
  return whenCoinEnds(t, p, event) ?? keeping(t, whenLockTaken(t, p, event));
}

/** The lock is ours, or the client's again; our coin is watched until what took it is buried. */
export function whenOver(t: T, p: P & { at: 'claimed' | 'lost' }, event: Event, now: Clocks): Outcome<P> {
  return (
    (p.at === 'lost' ? keepingOn(t, whenTakingBack(t, p, event)) : null) ??
    whenCoinEnds(t, p, event) ??
    keeping(t, source.whenOver(t, p, event, now))
  );
}

/**
 * The client has its lock again for good, and its claim of our coin may never be mined: the coin is taken back, where no claim of it shows.
 * Our refund yields to one that does, so that a chain that lied about the lock costs the client nothing.
 */
function whenTakingBack(t: T, p: Lost, event: Event): Step<P> | null {
  if (p.end !== null || event.is === 'onchain.final') return null;
  const refund = refundOf<Lost>(t, (of, _, ledger) => ended(t, of, 'refunded', ledger));
  if (event.is === 'htlc.seen') {
    const coin = ownCoin(p, event);
    return coin && whenCalledSpent(refund, p, coin, event.height);
  }
  // The funding may be refused as well.
  return 'txid' in event && event.txid === p.funding?.payment.txid ? null : whileTakingCoin(refund, p, event);
}

function whenLockTaken(t: T, p: P & { at: 'claiming' }, event: Event): Outcome<P> {
  const told = whenClaiming<P & { at: 'claiming' }>(t, p, event, p.end === 'refunded' || p.end === 'void');
  if (!isFact(told)) return told;
  if (told.fact === 'claimed') return stepTo<P>({ at: 'claimed', ...told.claimed, ...revealedOf(p) }, told.along);
  return {
    progress: { at: 'lost', ...told.lost, ...revealedOf(p) },
    effects: p.end === null ? [takeBack(t, p)] : [],
    supersedes: true,
    ...(p.end === null || p.end === 'claimed'
      ? {
          ledger: [{ kind: 'loss', ...btc('bitcoin', -t.targetAmount) }],
          flag: 'The client took its lock back although it had claimed our coin.',
        }
      : { flag: neither }),
  };
}

const neither =
  'The claim of the client did not take our coin, and its lock went back to it all the same: nothing is lost, and nothing is owed.';

/** What lasts until our coin's end is buried makes way for what the lock asks for now, and goes on behind it. */
function keeping(t: T, outcome: Outcome<P>): Outcome<P> {
  if (outcome === 'stay' || (outcome.supersedes !== true && outcome.effects.length === 0)) return outcome;
  const { supersedes: _, ...step } = outcome;
  const { progress: p } = step;
  if (!('end' in p) || isSettled(p)) return outcome;
  // Once the lock is the client's again its claim is not helped any more.
  const redeem = p.at === 'lost' || p.end !== null ? null : p.redeem;
  return { ...step, interrupts: true, effects: [...step.effects, ...keptEffects(t, p, redeem)] };
}

function keepingOn(t: T, step: Step<P> | null): Outcome<P> | null {
  return step === null ? null : keeping(t, step);
}

/** What becomes of our coin; null for what is not about it. */
function whenCoinEnds<S extends Open>(t: T, p: S, event: Event): Outcome<S> | null {
  if (event.is === 'htlc.seen') {
    const coin = ownCoin(p, event);
    if (coin === null || p.end !== null) return 'stay';
    const end = endOfCoin(coin, event);
    const redeem = claimOf(t, coin)?.redeem ?? p.redeem;
    if (end !== null) return ended(t, { ...p, redeem }, end);
    return redeem.txid === p.redeem.txid ? 'stay' : move<S>({ ...p, redeem });
  }
  const funding = fundingEnd(p, event);
  if (funding?.is === 'buried') return settled({ ...p, buried: true }, { ledger: funding.ledger });
  if (funding?.is === 'spent' || funding?.is === 'late') return p.end === null ? ended(t, p, 'void') : 'stay';
  if (event.is === 'onchain.final' && isOurs(p, event.txid)) {
    const ledger: readonly LedgerLine[] = [{ kind: 'network-fee-paid', ...btc('bitcoin', -event.fee) }];
    if (p.end === null) return ended(t, p, 'refunded', ledger);
    if (p.end === 'refunded') return { progress: p, effects: [], ledger };
  }
  return event.is === 'onchain.final' || event.is === 'onchain.refused' ? 'stay' : null;
}

/** For good: whoever has the coin now keeps it. */
function ended<S extends Open>(t: T, p: S, end: CoinEnd, ledger: readonly LedgerLine[] = []): Step<S> {
  const next = { ...p, end };
  if (end === 'claimed') return settled(next, {});
  // What it cost was not told of: its broadcast ended long since, or ends here.
  const cost = ledger.length > 0 || end === 'void' ? [] : costEffects(t, next);
  const effects = cost.length === 0 ? [] : [...cost, ...keptEffects(t, next, null)];
  if (p.at === 'lost')
    return settled(next, {
      effects,
      ledger: [...ledger, { kind: 'loss', ...btc('bitcoin', t.targetAmount) }],
      flag: neither,
    });
  return settled(next, {
    effects,
    ...(ledger.length === 0 ? {} : { ledger }),
    flag: `Both legs of this swap are ours: the client's claim took nothing, for ${end === 'void' ? 'what funded it was spent elsewhere' : 'our refund took the coin back'}, and its lock is claimed. ${t.targetAmount} sats are owed to the client: pay them to ${t.targetAddress ?? `where its claim ${p.redeem.txid} pays`}.`,
  });
}

function settled<S extends Open>(progress: S, step: Partial<Pick<Step<S>, 'effects' | 'ledger' | 'flag'>>): Step<S> {
  const over = progress.at !== 'claiming' && isSettled(progress);
  const { effects = [], ...rest } = step;
  return {
    progress,
    effects,
    ...rest,
    ...(over ? { supersedes: true } : effects.length > 0 ? { interrupts: true } : {}),
  };
}

/** Nothing of ours was funded: the locks are watched, and given back on request. */
export function whenStopped(t: T, p: P & { at: 'stopped' }, event: Event, now: Clocks): Outcome<P> {
  const { doubt } = p;
  if (doubt === undefined) return source.whenStopped(t, p, event, now);
  if (event.is === 'htlc.seen') return whenDoubted(t, { ...p, doubt }, event);
  if (event.is === 'evm-refund.requested') return 'stay';
  return source.whenStopped(t, p, event, now);
}

/** Our coin is ours again for good: the client gets its lock back, by our signature or alone. */
export function whenReturned(t: T, p: P & { at: 'returned' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'onchain.final') return costs(p, event);
  const { at: _, output, funding, buried, refundTxid, ...left } = p;
  const placed = { output, funding, buried };
  const stopped = { ...left, at: 'stopped', why: 'wont', reason: '' } as const;
  const outcome = source.whenStopped(t, stopped, event, now);
  if (outcome === 'stay') return 'stay';
  const { progress, ...step } = outcome;
  if (progress.at === 'refunded') return { ...step, progress: { ...progress, returned: { ...placed, refundTxid } } };
  if (progress.at === 'lapsed') return 'stay'; // only what expired lapses
  const { why: __, reason: ___, ...more } = progress;
  return { ...step, progress: { ...more, at: 'returned', ...placed, refundTxid } };
}

/** What the funding cost, or the refund that was seen before it was told of. */
function costs(p: P & { at: 'returned' | 'refunded' }, event: Event & { is: 'onchain.final' }): Step<P> {
  const isFunding = p.at === 'returned' && fundingEnd(p, event) !== null;
  return {
    progress: isFunding ? { ...p, buried: true } : p,
    effects: [],
    ledger: [{ kind: 'network-fee-paid', ...btc('bitcoin', -event.fee) }],
  };
}

export function whenRefunded(t: T, p: P & { at: 'refunded' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'onchain.final') return p.returned === undefined ? 'stay' : costs(p, event);
  return source.whenOver(t, p, event, now);
}
