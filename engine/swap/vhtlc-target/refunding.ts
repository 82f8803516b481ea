import type { Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { stands } from '../exit.ts';
import type { Effect, Event, LedgerLine, Outcome, Step } from '../machine.ts';
import { leafOf } from '../source.ts';
import { whenCoinSeen, whileTaking, type Taker } from '../vhtlc-taking.ts';
import { claimShown, lateAlarm, lockDenied, lockedCoin, relayed } from './seen.ts';
import type { Fate, Lock, Refunding, TargetTerms } from './terms.ts';

export function ours(t: TargetTerms, p: Lock) {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap' as const, index: t.keyIndex }, coin: p.lock };
}

export function refundEffect(t: TargetTerms, p: Lock): Effect {
  return { do: 'vhtlc.refund', ...ours(t, p) };
}

/** A batch has the coin, and no trace of it says whose it was: that is found by what it pays. */
export function whoseBatch(t: TargetTerms, p: Lock): Effect {
  return { do: 'vhtlc.settle', purpose: 'refund', ...ours(t, p), taken: true };
}

function refundOf<T extends TargetTerms, L extends Lock, P>(t: T, fate: Fate<T, L, P>): Taker<Refunding<L>, Step<P>> {
  return {
    purpose: 'refund',
    ours: (p) => ours(t, p),
    sent: (p) => p.refundTxid,
    withSent: (p, refundTxid) => ({ ...p, refundTxid }),
    // Only now is a claim impossible, and only now may what the client gave go back (facts/faults.md 27).
    taken: (p, txid, costs) => refunded(t, p, txid, fate, costs),
    denied: lockDenied,
  };
}

/** Our refund is on its way; a claim that came first wins. */
export function whenRefunding<T extends TargetTerms, L extends Lock, P>(
  t: T,
  p: Refunding<L>,
  event: Event,
  now: Clocks,
  fate: Fate<T, L, P>,
): Outcome<P | Refunding<L>> {
  if (event.is === 'claim.relayed' && !event.fact) return whenClaimRelayed(t, p, event);
  const claim = claimShown(t, p, event, now);
  const claimed = claim && fate.beaten(t, p, claim, now);
  if (claimed !== null) return claimed;
  const undecided = event.is === 'clock' || lockedCoin(p, event)?.spend === 'hidden';
  const trusted =
    p.told === true && p.exit !== true && undecided && fate.late(t, p, now) !== null ? fate.trusted(t, p, event) : null;
  if (trusted !== null) return trusted;
  if (event.is === 'vhtlc.seen') return refundTaken(t, p, event, now, fate);
  return whileTaking(refundOf(t, fate), p, event) ?? lateAlarm<T, L, P, Refunding<L>>(t, p, now, fate);
}

/**
 * A batch took the coin before the client told us: its own, whose end we missed, or the one of our refund. The secret opens
 * nothing until that is known, or both legs were ours (facts/faults.md 40).
 */
function whenClaimRelayed<L extends Lock>(
  t: TargetTerms,
  p: Refunding<L>,
  event: Event & { is: 'claim.relayed' },
): Outcome<Refunding<L>> {
  const preimage = preimageMatches(t.hash, event.preimage);
  if (preimage === null || !relayed(p, event) || p.told === true) return 'stay';
  return { progress: { ...p, told: true }, effects: p.exit === true ? [] : [whoseBatch(t, p)], learned: preimage };
}

/** Only we can sign the refund leaf alone: a refund of ours whose end was forgotten, in a restored database for one. */
function refundTaken<T extends TargetTerms, L extends Lock, P>(
  t: T,
  p: Refunding<L>,
  event: Event,
  now: Clocks,
  fate: Fate<T, L, P>,
): Outcome<P | Refunding<L>> {
  const coin = lockedCoin(p, event);
  const step = coin === null ? null : whenCoinSeen(refundOf(t, fate), p, coin, now);
  if (step !== null) return step;
  if (coin === null || leafOf(coin)?.leaf !== 'refund-without-receiver')
    return lateAlarm<T, L, P, Refunding<L>>(t, p, now, fate);
  // Accepted is not final: while the transaction is the one that we prepared, our own finalize goes on.
  if (p.refundTxid !== null && (p.exit === true || coin.spentIn === p.refundTxid)) return 'stay';
  const refundTxid = coin.settledBy ?? coin.spentIn;
  return refundTxid === null || !stands(coin, now) ? 'stay' : refunded(t, p, refundTxid, fate);
}

function refunded<T extends TargetTerms, L extends Lock, P>(
  t: T,
  p: Refunding<L>,
  refundTxid: Txid,
  fate: Fate<T, L, P>,
  costs: readonly LedgerLine[] = [],
): Step<P> {
  return {
    ...fate.refunded(t, p, refundTxid),
    ...(p.exit === true ? { supersedes: true } : {}),
    ...(costs.length === 0 ? {} : { ledger: costs }),
  };
}
