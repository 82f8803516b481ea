import { btc } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { broadcastEffect, exitEffect, operatorFee, stands, stillOurs, type Exiting } from '../exit.ts';
import { move, type Effect, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { leafOf } from '../source.ts';
import { claimSeen, lateAlarm, linePassed, lockedCoin, relayed, unexplained } from './seen.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms, type Locked } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;
type Refunding = P & { at: 'refunding' };

function ours(t: T, p: Locked): Omit<Exiting, 'purpose'> {
  return { terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.lock };
}

export function refundEffect(t: T, p: Locked): Effect {
  return { do: 'vhtlc.refund', ...ours(t, p) };
}

/** A batch has the coin, and no trace of it says whose it was: that is found by what it pays. */
export function whoseBatch(t: T, p: Locked): Effect {
  return { do: 'vhtlc.settle', purpose: 'refund', ...ours(t, p), taken: true };
}

/** The coin lies on the chain: there our last leaf takes it back, once its delay is over. */
function exit(t: T, p: Refunding, leastRate = 0): Step<P> {
  return move<P>({ ...p, exit: true }, exitEffect({ purpose: 'refund', ...ours(t, p) }, leastRate));
}

/** Our refund is on its way; a claim that came first wins. */
export function whenRefunding(t: T, p: Refunding, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'claim.relayed' && !event.fact) return whenClaimRelayed(t, p, event);
  const claimed = claimSeen(t, p, event);
  if (claimed !== null) return claimed;
  const undecided = event.is === 'clock' || lockedCoin(p, event)?.spend === 'hidden';
  if (p.told === true && p.exit !== true && undecided && linePassed(t, p, now) !== null) return takenAtItsWord(t, p);
  switch (event.is) {
    case 'vhtlc.seen':
      return refundTaken(t, p, event, now);
    case 'vhtlc.prepared':
      return event.purpose === 'refund'
        ? move<P>({ ...p, refundTxid: event.txid }, { do: 'vhtlc.submit', purpose: 'refund', txid: event.txid })
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'refund'
        ? move<P>(p, { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid })
        : 'stay';
    case 'vhtlc.final':
      // Only now is a claim impossible, and only now may the held payment go back (facts/faults.md 27).
      return event.purpose === 'refund' ? refunded(t, p, event.txid, operatorFee(event.fee)) : 'stay';
    case 'vhtlc.refused':
      return event.purpose === 'refund' ? refundRefused(t, p, event) : 'stay';
    case 'onchain.prepared':
      return p.exit === true && event.purpose === 'refund'
        ? move<P>({ ...p, refundTxid: event.txid }, broadcastEffect(p.lock, event))
        : 'stay';
    case 'onchain.stuck':
      return p.exit === true ? exit(t, p, event.leastRate) : 'stay';
    case 'onchain.final':
      return p.exit === true
        ? refunded(t, p, event.txid, [{ kind: 'network-fee-paid', ...btc('bitcoin', -event.fee) }])
        : 'stay';
    case 'onchain.refused':
      return p.exit === true ? exitRefused(t, p, event) : 'stay';
    default:
      return lateAlarm(t, p, now);
  }
}

/**
 * A batch took the coin before the client told us: its own, whose end we missed, or the one of our refund. The secret opens
 * nothing until that is known, or both legs were ours (facts/faults.md 40).
 */
function whenClaimRelayed(t: T, p: Refunding, event: Event & { is: 'claim.relayed' }): Outcome<P> {
  const preimage = preimageMatches(t.hash, event.preimage);
  if (preimage === null || !relayed(p, event) || p.told === true) return 'stay';
  return { progress: { ...p, told: true }, effects: p.exit === true ? [] : [whoseBatch(t, p)], learned: preimage };
}

/** Nobody has said whose batch it was, and the payment is about to be lost: it is settled, and whose it was is asked on. */
function takenAtItsWord(t: T, p: Refunding): Step<P> {
  return {
    progress: { at: 'claimed', claimTxid: null, ...lockOf(p), racing: true, asked: true },
    effects: [{ do: 'hold.settle', hash: t.hash }, whoseBatch(t, p)],
    supersedes: true,
  };
}

function refundRefused(t: T, p: Refunding, { why, reason }: Event & { is: 'vhtlc.refused' }): Outcome<P> {
  switch (why) {
    case 'spent':
      return move<P>({ ...p, halted: true }); // the watch tells by whom, or that it was not
    case 'recoverable':
      return move<P>(p, { do: 'vhtlc.settle', purpose: 'refund', ...ours(t, p) });
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

function exitRefused(t: T, p: Refunding, event: Event & { is: 'onchain.refused' }): Outcome<P> {
  // Buried and not by a transaction that we know: the watch reads whose it is.
  if (event.why === 'spent') return move<P>({ ...p, refundTxid: null });
  return { ...exit(t, { ...p, refundTxid: null }), flag: `The Bitcoin node refused our refund: ${event.reason}.` };
}

/** Only we can sign the refund leaf alone: a refund of ours whose end was forgotten, in a restored database for one. */
function refundTaken(t: T, p: Refunding, event: Event, now: Clocks): Outcome<P> {
  const coin = lockedCoin(p, event);
  if (coin !== null && p.halted === true && stillOurs(coin, p.refundTxid)) return again(p, refundEffect(t, p));
  if (coin !== null && p.halted === true && coin.spend === 'hidden') return again(p, whoseBatch(t, p));
  if (coin === null || leafOf(coin)?.leaf !== 'refund-without-receiver')
    return leftOnChain(t, p, event) ?? lateAlarm(t, p, now);
  // Accepted is not final: while the transaction is the one that we prepared, our own finalize goes on.
  if (p.refundTxid !== null && (p.exit === true || coin.spentIn === p.refundTxid)) return 'stay';
  const refundTxid = coin.settledBy ?? coin.spentIn;
  return refundTxid === null || !stands(coin, now) ? 'stay' : refunded(t, p, refundTxid);
}

function again({ halted: _, ...p }: Refunding, effect: Effect): Step<P> {
  return move<P>(p, effect);
}

/** What the operator holds for spent is still ours on the chain, should the coin ever lie there (facts/arkade.md 32). */
function leftOnChain(t: T, p: Refunding, event: Event): Outcome<P> | null {
  const alarm = unexplained(p, event);
  const coin = lockedCoin(p, event);
  if (alarm === null || alarm === 'stay' || coin?.unrolled !== true || coin.spend !== 'unknown' || p.exit === true)
    return alarm;
  return { ...alarm, ...exit(t, { ...p, refundTxid: null }) };
}

function refunded(t: T, p: Refunding, refundTxid: Txid, costs: readonly LedgerLine[] = []): Step<P> {
  const step = move<P>({ at: 'refunded', refundTxid, ...lockOf(p) }, { do: 'hold.cancel', hash: t.hash });
  return {
    ...step,
    ...(p.exit === true ? { supersedes: true } : {}),
    ...(costs.length === 0 ? {} : { ledger: costs }),
  };
}
