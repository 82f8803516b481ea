import { btc } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { broadcastEffect, exitEffect, operatorFee, stands, stillOurs, type Exiting } from '../exit.ts';
import { move, type Effect, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { leafOf } from '../source.ts';
import { claimShown, lateAlarm, lockedCoin, relayed, unexplained } from './seen.ts';
import type { Fate, Lock, Refunding, TargetTerms } from './terms.ts';

function ours(t: TargetTerms, p: Lock): Omit<Exiting, 'purpose'> {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.lock };
}

export function refundEffect(t: TargetTerms, p: Lock): Effect {
  return { do: 'vhtlc.refund', ...ours(t, p) };
}

/** A batch has the coin, and no trace of it says whose it was: that is found by what it pays. */
export function whoseBatch(t: TargetTerms, p: Lock): Effect {
  return { do: 'vhtlc.settle', purpose: 'refund', ...ours(t, p), taken: true };
}

/** The coin lies on the chain: there our last leaf takes it back, once its delay is over. */
function exit<L extends Lock>(t: TargetTerms, p: Refunding<L>, leastRate = 0): Step<Refunding<L>> {
  return move<Refunding<L>>({ ...p, exit: true }, exitEffect({ purpose: 'refund', ...ours(t, p) }, leastRate));
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
  const final = (txid: Txid, costs: readonly LedgerLine[] = []) => refunded(t, p, txid, fate, costs);
  switch (event.is) {
    case 'vhtlc.seen':
      return refundTaken(t, p, event, now, fate);
    case 'vhtlc.prepared':
      return event.purpose === 'refund'
        ? move<Refunding<L>>(
            { ...p, refundTxid: event.txid },
            { do: 'vhtlc.submit', purpose: 'refund', txid: event.txid },
          )
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'refund'
        ? move<Refunding<L>>(p, { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid })
        : 'stay';
    case 'vhtlc.final':
      // Only now is a claim impossible, and only now may what the client gave go back (facts/faults.md 27).
      return event.purpose === 'refund' ? final(event.txid, operatorFee(event.fee)) : 'stay';
    case 'vhtlc.refused':
      return event.purpose === 'refund' ? refundRefused(t, p, event) : 'stay';
    case 'onchain.prepared':
      return p.exit === true && event.purpose === 'refund'
        ? move<Refunding<L>>({ ...p, refundTxid: event.txid }, broadcastEffect(p.lock, event))
        : 'stay';
    case 'onchain.stuck':
      return p.exit === true ? exit(t, p, event.leastRate) : 'stay';
    case 'onchain.final':
      return p.exit === true
        ? final(event.txid, [{ kind: 'network-fee-paid', ...btc('bitcoin', -event.fee) }])
        : 'stay';
    case 'onchain.refused':
      return p.exit === true ? exitRefused(t, p, event) : 'stay';
    default:
      return lateAlarm<T, L, P, Refunding<L>>(t, p, now, fate);
  }
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

function refundRefused<L extends Lock>(
  t: TargetTerms,
  p: Refunding<L>,
  { why, reason }: Event & { is: 'vhtlc.refused' },
): Outcome<Refunding<L>> {
  switch (why) {
    case 'spent':
      return move<Refunding<L>>({ ...p, halted: true }); // the watch tells by whom, or that it was not
    case 'recoverable':
      return move<Refunding<L>>(p, { do: 'vhtlc.settle', purpose: 'refund', ...ours(t, p) });
    case 'unrolled':
      return exit(t, { ...p, refundTxid: null });
    default:
      return {
        progress: { ...p, refundTxid: null },
        effects: [refundEffect(t, p)],
        flag: `The operator refused our refund: ${reason}.`,
      };
  }
}

function exitRefused<L extends Lock>(
  t: TargetTerms,
  p: Refunding<L>,
  event: Event & { is: 'onchain.refused' },
): Outcome<Refunding<L>> {
  // Buried and not by a transaction that we know: the watch reads whose it is.
  if (event.why === 'spent') return move<Refunding<L>>({ ...p, refundTxid: null });
  return { ...exit(t, { ...p, refundTxid: null }), flag: `The Bitcoin node refused our refund: ${event.reason}.` };
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
  if (coin !== null && p.halted === true && stillOurs(coin, p.refundTxid)) return again(p, refundEffect(t, p));
  if (coin !== null && p.halted === true && coin.spend === 'hidden') return again(p, whoseBatch(t, p));
  if (coin === null || leafOf(coin)?.leaf !== 'refund-without-receiver')
    return leftOnChain(t, p, event, fate.stays) ?? lateAlarm<T, L, P, Refunding<L>>(t, p, now, fate);
  // Accepted is not final: while the transaction is the one that we prepared, our own finalize goes on.
  if (p.refundTxid !== null && (p.exit === true || coin.spentIn === p.refundTxid)) return 'stay';
  const refundTxid = coin.settledBy ?? coin.spentIn;
  return refundTxid === null || !stands(coin, now) ? 'stay' : refunded(t, p, refundTxid, fate);
}

function again<L extends Lock>({ halted: _, ...p }: Refunding<L>, effect: Effect): Step<Refunding<L>> {
  return move<Refunding<L>>(p as unknown as Refunding<L>, effect);
}

/** What the operator holds for spent is still ours on the chain, should the coin ever lie there (facts/arkade.md 32). */
function leftOnChain<L extends Lock>(
  t: TargetTerms,
  p: Refunding<L>,
  event: Event,
  stays: string,
): Outcome<Refunding<L>> | null {
  const alarm = unexplained<L, Refunding<L>>(p, event, stays);
  const coin = lockedCoin(p, event);
  if (alarm === null || alarm === 'stay' || coin?.unrolled !== true || coin.spend !== 'unknown' || p.exit === true)
    return alarm;
  return { ...alarm, ...exit(t, { ...p, refundTxid: null }) };
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
