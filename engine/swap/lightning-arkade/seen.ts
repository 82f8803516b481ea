import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import { furthest, type Clocks } from '../../domain/time.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { stopLine } from '../../legs/timelocks.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import type { Event, Outcome } from '../machine.ts';
import { leafOf } from '../source.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms, type Locked } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;

/** The client's claim, of exactly our lock, with a preimage that fits: from here on we only finish. */
export function claimSeen(t: T, p: Locked & { readonly refundTxid?: Txid | null }, event: Event): Outcome<P> | null {
  if (event.is === 'claim.relayed')
    return relayed(p, event) ? claimedWith(t, p, event.preimage, { txid: null, fact: true }) : null;
  const coin = lockedCoin(p, event);
  const spend = coin && leafOf(coin);
  if (coin === null || spend?.leaf !== 'claim') return null;
  // What the operator took is taken; what waits in its queue or in a mempool may still lose against a refund of ours.
  return claimedWith(t, p, spend.preimage, {
    txid: coin.spentIn ?? null,
    fact: coin.spent && !coin.unrolled && coin.onChain === undefined,
  });
}

/** The client's batch is over our lock, whatever else it took. */
export function relayed(p: Locked, event: Event): event is Event & { is: 'claim.relayed' } {
  return event.is === 'claim.relayed' && event.coins.some((coin) => sameOutpoint(coin, p.lock));
}

/**
 * The transaction of a claim is the one that made the client's coin, which clients compare with what lies at their address
 * (facts/clients.md 24); a claim through a batch has none that we know, and its commitment is another one.
 */
function claimedWith(
  t: T,
  p: Locked & { readonly refundTxid?: Txid | null },
  candidate: Uint8Array,
  claim: { readonly txid: Txid | null; readonly fact: boolean },
): Outcome<P> | null {
  const preimage = preimageMatches(t.hash, candidate);
  if (preimage === null) return null;
  return {
    progress: {
      at: 'claimed',
      claimTxid: claim.txid,
      ...lockOf(p),
      ...(claim.fact || p.refundTxid === undefined ? {} : { racing: true as const }),
    },
    effects: [{ do: 'hold.settle', hash: t.hash }],
    // A refund of ours that has not been sent would only race a claim that already happened.
    supersedes: true,
    learned: preimage,
  };
}

export function lockedCoin(p: Locked, event: Event): SeenCoin | null {
  if (event.is !== 'vhtlc.seen') return null;
  return event.coins.find((coin) => sameOutpoint(coin.outpoint, p.lock)) ?? null;
}

/** The operator says "spent", and no leaf of the script explains it: its word is not the script's verdict. */
export function unexplained(p: P & Locked, event: Event): Outcome<P> | null {
  const coin = lockedCoin(p, event);
  if (coin === null || !coin.spent) return null;
  if (coin.spend === 'hidden') {
    if (p.at === 'refunding') return null; // our own way through a batch finds out whom that one paid
    return {
      progress: p,
      effects: [],
      flag: "Our VHTLC expired and a batch took it, which may be the client's: the operator does not show by which leaf. The held payment stays until its preimage or our refund shows.",
    };
  }
  if (coin.spend !== 'unknown') return null;
  return {
    progress: p,
    effects: [],
    distrust: true,
    flag: 'The operator reports our VHTLC as spent by a transaction that fits none of its leaves: use another operator, and bring the coin to the chain if you can.',
  };
}

/** Told once: from this height on the Lightning node may give the payment back while the client can still claim. */
export function lateAlarm(t: T, p: P & { at: 'locked' | 'refunding' }, now: Clocks): Outcome<P> {
  const line = linePassed(t, p, now);
  if (line === null || p.alarmed === true) return 'stay';
  return {
    progress: { ...p, alarmed: true },
    effects: [],
    flag: `The payment of this swap is surely ours only until block ${line}, and the VHTLC is neither claimed nor back: see why the Arkade operator does not refund it.`,
  };
}

/** The height from which on the Lightning node may give the payment back, once it is reached. */
export function linePassed(t: T, p: Locked, now: Clocks): number | null {
  const { height } = furthest(now.bitcoin);
  if (p.expiryHeight === undefined || height === null) return null;
  const line = stopLine(p.expiryHeight, t.policy);
  return height < line ? null : line;
}
