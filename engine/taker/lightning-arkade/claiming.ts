import { sameOutpoint, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import { unix, type Clocks } from '../../domain/time.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { revealMargin } from '../../legs/timelocks.ts';
import { broadcastEffect, exitEffect, stands, stillOurs } from '../../swap/exit.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../swap/machine.ts';
import { leafOf } from '../../swap/source.ts';
import {
  dealtOf,
  type Claiming,
  type Dealt,
  type TakeLightningArkadeProgress,
  type TakeLightningArkadeTerms,
} from './terms.ts';

type T = TakeLightningArkadeTerms;
type P = TakeLightningArkadeProgress;

function ours(t: T, p: Dealt, coin: Outpoint) {
  return {
    terms: p.deal.target.vhtlc,
    script: p.deal.target.script,
    key: { branch: 'taker' as const, index: t.keyIndex },
    coin,
  };
}

export function claimEffect(t: T, p: Dealt, coin: Outpoint): Effect {
  return { do: 'vhtlc.claim', ...ours(t, p, coin) };
}

/** The secret has left us and the coin lies on the chain: there it is claimed without the operator. */
function exit(t: T, p: P & { at: 'claiming' }, leastRate = 0): Step<P> {
  return move<P>({ ...p, exit: true }, exitEffect({ purpose: 'claim', ...ours(t, p, p.coin) }, leastRate));
}

/** Signed and not sent: saved first, and judged once more at the moment of sending, however long the node slept. */
function submitEffect(t: T, p: Claiming, txid: Txid): Effect {
  const { deal, coin } = p;
  const { refundLocktime } = deal.target.vhtlc;
  return {
    do: 'vhtlc.submit',
    purpose: 'claim',
    txid,
    onlyIf: {
      notAfter: unix(refundLocktime - revealMargin(t.policy)),
      reveal: {
        script: deal.target.script,
        outpoint: coin,
        targetAmount: deal.target.amount,
        refundLocktime,
        policy: t.policy,
      },
    },
  };
}

export function whenClaiming(t: T, p: P & { at: 'claiming' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'claim'
        ? move<P>({ ...p, claimTxid: event.txid }, submitEffect(t, p, event.txid))
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'claim'
        ? move<P>(p, { do: 'vhtlc.finalize', purpose: 'claim', txid: event.txid })
        : 'stay';
    case 'vhtlc.final':
      return event.purpose === 'claim'
        ? move<P>({ at: 'claimed', claimTxid: event.txid, coin: p.coin, ...dealtOf(p) })
        : 'stay';
    case 'vhtlc.refused':
      return event.purpose === 'claim' ? claimRefused(t, p, event) : 'stay';
    case 'vhtlc.seen':
      return whenClaimedCoinSeen(t, p, event.coins, now);
    case 'onchain.prepared':
      return p.exit === true && event.purpose === 'claim'
        ? move<P>({ ...p, claimTxid: event.txid }, broadcastEffect(p.coin, event))
        : 'stay';
    case 'onchain.stuck':
      return p.exit === true ? exit(t, p, event.leastRate) : 'stay';
    case 'onchain.final':
      return p.exit === true ? move<P>({ at: 'claimed', claimTxid: event.txid, coin: p.coin, ...dealtOf(p) }) : 'stay';
    case 'onchain.refused':
      // Buried and not by a transaction that we know: the watch reads whose it is.
      return p.exit === true
        ? event.why === 'spent'
          ? move<P>({ ...p, claimTxid: null })
          : { ...exit(t, p), flag: `The Bitcoin node refused our claim: ${event.reason}.` }
        : 'stay';
    case 'provider.seen':
      return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
    default:
      return 'stay';
  }
}

function claimRefused(t: T, p: P & { at: 'claiming' }, event: Event & { is: 'vhtlc.refused' }): Outcome<P> {
  const notSent = event.txid === null || event.why === 'late';
  if (event.why === 'spent') return p.halted ? 'stay' : move<P>({ ...p, halted: true }); // the watch tells by whom, or that it was not
  if (notSent) return move<P>({ at: 'waiting', why: event.reason, ...dealtOf(p) });
  // The secret has left us: from here on nothing but the coin's end stops the claim.
  if (event.why === 'recoverable') {
    return move<P>(p, { do: 'vhtlc.settle', purpose: 'claim', ...ours(t, p, p.coin) });
  }
  if (event.why === 'unrolled') return exit(t, { ...p, claimTxid: null });
  return {
    progress: { ...p, claimTxid: null, halted: true },
    effects: [],
    flag: `The operator refused our claim: ${event.reason}.`,
  };
}

function whenClaimedCoinSeen(t: T, p: P & { at: 'claiming' }, coins: readonly SeenCoin[], now: Clocks): Outcome<P> {
  const coin = coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  if (coin === undefined) return 'stay';
  if (p.halted && stillOurs(coin, p.claimTxid)) return move<P>({ ...p, halted: false }, claimEffect(t, p, p.coin));
  if (!coin.spent) return 'stay';
  if (coin.spend === null || coin.spend === 'hidden' || !stands(coin, now)) return 'stay';
  // The operator has our secret from our claim: shown without our signature it says nothing of the coin.
  const unsigned =
    coin.spend !== 'unknown' &&
    coin.spend.leaf === 'claim' &&
    coin.spend.unsigned === true &&
    coin.spentIn !== p.claimTxid;
  if (coin.spend === 'unknown' || unsigned)
    return {
      progress: p,
      effects: [],
      distrust: true,
      flag: 'The operator reports the coin that we claim as spent by a transaction that fits none of its leaves.',
    };
  if (coin.spend.leaf !== 'claim') {
    return {
      progress: { at: 'lost', ...dealtOf(p) },
      effects: [],
      supersedes: true,
      flag: 'The provider took its VHTLC back while we claimed it: if the invoice was settled, the provider owes you the payment.',
    };
  }
  // Accepted is not final: our own finalize goes on.
  if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return 'stay';
  const txid = claimOf(t, coin);
  return txid === null
    ? 'stay'
    : { progress: { at: 'claimed', claimTxid: txid, coin: p.coin, ...dealtOf(p) }, effects: [], supersedes: true };
}

/** The transaction by which this coin was claimed with our secret and signature; null when it was not. */
export function claimOf(t: T, coin: SeenCoin): Txid | null {
  const spend = leafOf(coin);
  if (
    !coin.spent ||
    spend?.leaf !== 'claim' ||
    spend.unsigned === true ||
    preimageMatches(t.hash, spend.preimage) === null
  )
    return null;
  return coin.settledBy ?? coin.spentIn;
}
