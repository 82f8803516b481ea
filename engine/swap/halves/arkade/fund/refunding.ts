import type { Txid } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import { stands } from '../exit.ts';
import { stepTo } from '../../answer.ts';
import type { Surety } from '../../surety.ts';
import type { Effect, Event, LedgerLine, Outcome, EventOf } from '../../../machine.ts';
import { leafOf } from '../../extra-coins.ts';
import { takingAnew, whenCoinSeen, whileTaking, type Taker } from '../taking.ts';
import { claimFact, claimShown, forfeitShown, lateAlarm, lockDenied, lockedCoin, relayed } from './seen.ts';
import type { Claim, Lock, Stage, TargetTerms as T, Moved, Fact, Reply } from './terms.ts';

export function ours(t: T, p: Lock) {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap' as const, index: t.keyIndex }, coin: p.lock };
}

export function refundEffect(t: T, p: Lock): Effect {
  return { do: 'vhtlc.refund', ...ours(t, p) };
}

/** A batch has the coin, and no trace of it says whose it was: that is found by what it pays. */
export function whoseBatch(t: T, p: Lock): Effect {
  return { do: 'vhtlc.settle', purpose: 'refund', ...ours(t, p), taken: true };
}

type Refunding = Stage<'refunding'>;

function refundOf<S extends Refunding>(t: T): Taker<S, Fact> {
  return {
    purpose: 'refund',
    ours: (p) => ours(t, p),
    sent: (p) => p.refundTxid,
    withSent: (p, refundTxid) => ({ ...p, refundTxid }),
    // Only now is a claim impossible, and only now may what the client gave go back (facts/faults.md 27).
    taken: (p, txid, costs) => refunded(p, txid, costs),
    denied: lockDenied,
  };
}

export function resumeRefund<S extends Refunding>(t: T, p: S): readonly Effect[] {
  return takingAnew(refundOf<S>(t), p);
}

/** Our refund is on its way; a claim that came first wins. */
export function whenRefunding<S extends Refunding>(t: T, p: S, event: Event, now: Clocks, surety: Surety): Reply<S> {
  if (event.is === 'claim.relayed' && !event.fact) return whenClaimRelayed(t, p, event);
  const claim = claimShown(t, p, event, now);
  const claimed = claim && beaten(p, claim, now, surety);
  const over = claimed ?? forfeitShown(t, p, event, now);
  if (over !== null) return over;
  const isHidden = p.exit !== true && lockedCoin(p, event)?.spend === 'hidden';
  const isDue = p.told === true && surety.late(now) !== null;
  if (isDue && (isHidden || event.is === 'clock'))
    return trusted(t, p, isHidden || (!surety.isPatient && p.exit !== true));
  if (event.is === 'vhtlc.seen') return refundTaken(t, p, event, now, surety);
  const outcome = whileTaking(refundOf<S>(t), p, event) ?? lateAlarm(p, now, surety);
  return outcome === 'stay' ? null : outcome;
}

/**
 * The client claimed while a refund of ours was on its way. Until its claim is a fact it may lose the VHTLC to our
 * refund, and then what it gave is its own: where that can wait, the secret is saved and opens nothing before it is
 * decided. Once that may be too late it is believed, in a queue as on the chain, while what the client gave is still
 * ours to take: a claim that waits keeps our refund from the coin for as long as its client likes (facts/arkade.md 36).
 */
function beaten<S extends Refunding>(p: S, claim: Claim, now: Clocks, surety: Surety): Reply<S> {
  if (claim.is === 'fact') return claimFact(p, claim, {});
  if (!surety.isPatient || surety.late(now) !== null) return claimFact(p, claim, { racing: true });
  return p.told === true ? null : stepTo({ ...p, told: true }, { learned: claim.preimage });
}

/**
 * Nobody has said whose the coin is, and what the client gave is about to be lost: it is taken by the secret that was
 * saved. `byBatch`: a batch may have the coin, and whose it was is asked on; should one be shown later, it is asked
 * then.
 */
function trusted(t: T, { lock }: Refunding, byBatch: boolean): Fact {
  return {
    fact: 'revealed',
    revealed: { lock, redeemTxid: null, racing: true, ...(byBatch ? { asked: true } : {}) },
    along: { effects: byBatch ? [whoseBatch(t, { lock })] : [], supersedes: true },
  };
}

/**
 * A batch took the coin before the client told us: its own, whose end we missed, or the one of our refund. The secret
 * opens nothing until that is known, or both legs were ours (facts/faults.md 40).
 */
function whenClaimRelayed<S extends Refunding>(t: T, p: S, event: EventOf<'claim.relayed'>): Outcome<S> {
  const preimage = preimageMatches(t.hash, event.preimage);
  if (preimage === null || !relayed(p, event) || p.told === true) return 'stay';
  return stepTo({ ...p, told: true }, { effects: p.exit === true ? [] : [whoseBatch(t, p)], learned: preimage });
}

/** Only we can sign the refund leaf alone: a refund of ours whose end was forgotten, in a restored database for one. */
function refundTaken<S extends Refunding>(t: T, p: S, event: Event, now: Clocks, surety: Surety): Moved<S> {
  const coin = lockedCoin(p, event);
  const step = coin === null ? null : whenCoinSeen(refundOf<S>(t), p, coin, now);
  if (step !== null) return step;
  if (coin === null || leafOf(coin)?.leaf !== 'refund-without-receiver') return lateAlarm(p, now, surety);
  // Accepted is not final: while the transaction is the one that we prepared, our own finalize goes on.
  if (p.refundTxid !== null && (p.exit === true || coin.spentIn === p.refundTxid)) return 'stay';
  const refundTxid = coin.settledBy ?? coin.spentIn;
  return refundTxid === null || !stands(coin, now) ? 'stay' : refunded(p, refundTxid);
}

function refunded({ lock, exit }: Refunding, refundTxid: Txid, costs: readonly LedgerLine[] = []): Fact {
  return {
    fact: 'returned',
    reason: 'the VHTLC was not claimed in time',
    returned: { fundTxid: lock.txid, refundTxid },
    along: { ...(exit === true ? { supersedes: true } : {}), ...(costs.length === 0 ? {} : { ledger: costs }) },
  };
}
