import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { safeToRefund } from '../../legs/safety.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { move, type Effect, type Event, type Outcome, type SeenCoin } from '../machine.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms, type Locked } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

/** The client's claim, of exactly our lock, with a preimage that fits: from here on we only finish. */
export function claimSeen(t: T, p: Locked, event: Event): Outcome<P> | null {
  if (event.is === 'claim.relayed') return event.coins.some((coin) => sameOutpoint(coin, p.lock)) ? claimedWith(t, p, event.preimage, event.txid) : null;
  const coin = lockedCoin(p, event);
  if (coin === null || coin.spend === null || coin.spend === 'unknown' || coin.spend.leaf !== 'claim') return null;
  return claimedWith(t, p, coin.spend.preimage, coin.spentIn ?? coin.settledBy);
}

function claimedWith(t: T, p: Locked, candidate: Uint8Array, claimTxid: Txid | null): Outcome<P> | null {
  const preimage = preimageMatches(t.hash, candidate);
  if (preimage === null) return null;
  return {
    progress: { at: 'claimed', claimTxid, ...lockOf(p) },
    effects: [{ do: 'hold.settle', hash: t.hash }],
    // A refund of ours that has not been sent would only race a claim that already happened.
    supersedes: true,
    learned: preimage,
  };
}

function lockedCoin(p: Locked, event: Event): SeenCoin | null {
  if (event.is !== 'vhtlc.seen') return null;
  return event.coins.find((coin) => sameOutpoint(coin.outpoint, p.lock)) ?? null;
}

/** The VHTLC is out: the client claims it, or we take it back after its locktime. */
export function whenLocked(t: T, p: P & { at: 'locked' }, event: Event, now: Clocks): Outcome<P> {
  const claimed = claimSeen(t, p, event);
  if (claimed !== null) return claimed;
  if (event.is === 'clock' && safeToRefund({ fence: 'open', refundLocktime: t.vhtlc.refundLocktime }, now) === null) {
    return move<P>({ at: 'refunding', refundTxid: null, ...lockOf(p) }, refundEffect(t, p));
  }
  return foreignSpend(p, event);
}

function refundEffect(t: T, p: Locked): Effect {
  return { do: 'vhtlc.refund', terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.lock };
}

/** The operator says "spent", and no leaf of the script explains it: its word is not the script's verdict. */
function foreignSpend(p: P & Locked, event: Event): Outcome<P> {
  const coin = lockedCoin(p, event);
  if (coin === null || !coin.spent || coin.spend !== 'unknown') return 'stay';
  return { progress: p, effects: [], flag: 'The operator reports our VHTLC as spent by a transaction that fits none of its leaves: stop using this operator and unroll the coin.' };
}

/** Only we can sign the refund leaf alone: a refund of ours whose end was forgotten, in a restored database for one. */
function refundTaken(t: T, p: P & { at: 'refunding' }, event: Event): Outcome<P> {
  const coin = lockedCoin(p, event);
  if (coin === null || coin.spend === null || coin.spend === 'unknown' || coin.spend.leaf !== 'refund-without-receiver') return foreignSpend(p, event);
  // Accepted is not final: while the transaction is the one that we prepared, our own finalize goes on.
  if (p.refundTxid !== null && coin.spentIn === p.refundTxid) return 'stay';
  const refundTxid = coin.settledBy ?? coin.spentIn;
  return refundTxid === null ? 'stay' : refunded(t, p, refundTxid);
}

function refunded(t: T, p: Locked, refundTxid: Txid): Outcome<P> {
  return move<P>({ at: 'refunded', refundTxid, ...lockOf(p) }, { do: 'hold.cancel', hash: t.hash });
}

/** Our refund is on its way; a claim that came first wins. */
export function whenRefunding(t: T, p: P & { at: 'refunding' }, event: Event): Outcome<P> {
  const claimed = claimSeen(t, p, event);
  if (claimed !== null) return claimed;
  switch (event.is) {
    case 'vhtlc.seen':
      return refundTaken(t, p, event);
    case 'vhtlc.prepared':
      return event.purpose === 'refund'
        ? move<P>({ ...p, refundTxid: event.txid }, { do: 'vhtlc.submit', purpose: 'refund', txid: event.txid })
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'refund' ? move<P>(p, { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid }) : 'stay';
    case 'vhtlc.final':
      // Only now is a claim impossible, and only now may the held payment go back (faults.md 27).
      return event.purpose === 'refund' ? refunded(t, p, event.txid) : 'stay';
    case 'vhtlc.refused':
      if (event.purpose !== 'refund' || event.why === 'spent') return 'stay';
      if (event.why === 'recoverable') {
        return move<P>(p, { do: 'vhtlc.settle', purpose: 'refund', terms: t.vhtlc, script: t.script, key: { branch: 'swap', index: t.keyIndex }, coin: p.lock });
      }
      return { progress: { ...p, refundTxid: null }, effects: [refundEffect(t, p)], flag: `The operator refused our refund: ${event.reason}.` };
    default:
      return 'stay';
  }
}

/** The preimage is ours: the held payment is settled, however long that takes. */
export function whenClaimed(t: T, p: P & { at: 'claimed' }, event: Event): Outcome<P> {
  const settled = event.is === 'hold.settled' || (event.is === 'hold.seen' && event.state.is === 'settled');
  if (settled) {
    return {
      progress: { ...p, at: 'settled' },
      effects: [],
      ledger: [
        { kind: 'protocol-fee', amountMsat: t.feeSats * 1_000n },
        { kind: 'network-fee-charged', amountMsat: t.networkFeeSats * 1_000n },
      ],
    };
  }
  if (event.is === 'hold.seen' && (event.state.is === 'cancelled' || event.state.is === 'absent')) {
    return { progress: p, effects: [], flag: 'The client claimed the VHTLC but the held payment is gone: the settlement came too late.' };
  }
  return 'stay';
}
