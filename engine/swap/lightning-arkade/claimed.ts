import type { Clocks } from '../../domain/time.ts';
import { blocksAfterTimeout } from '../../legs/timelocks.ts';
import { stands } from '../exit.ts';
import { move, type Event, type Outcome, type Step } from '../machine.ts';
import { leafOf } from '../source.ts';
import { refundEffect } from './refunding.ts';
import { lockedCoin } from './seen.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;
type Claimed = P & { at: 'claimed' };

/** The preimage is ours: the held payment is settled, however long that takes. */
export function whenClaimed(t: T, p: Claimed, event: Event, now: Clocks): Outcome<P> {
  const race = raceOver(t, p, event, now);
  if (race !== null) return race;
  if (event.is === 'hold.settled') return settled(t, p);
  if (event.is !== 'hold.seen') return 'stay';
  switch (event.state.is) {
    case 'settled':
      return settled(t, p);
    case 'cancelled':
      return lost(t, p);
    case 'absent':
      // The wrong node answers, or one that was restored from nothing: the right one may be back before the payment times out.
      return p.expiryHeight !== undefined && now.height !== null && now.height > p.expiryHeight + blocksAfterTimeout
        ? lost(t, p)
        : { progress: p, effects: [], flag: 'The client claimed the VHTLC and this Lightning node does not know the payment: connect the node that holds it, before it times out.' };
    default:
      return 'stay';
  }
}

function settled(t: T, p: Claimed): Step<P> {
  return {
    progress: { at: 'settled', claimTxid: p.claimTxid, ...lockOf(p), ...raceOf(p) },
    effects: [],
    ledger: [
      { kind: 'protocol-fee', amountMsat: t.feeSats * 1_000n },
      { kind: 'network-fee-charged', amountMsat: t.networkFeeSats * 1_000n },
    ],
  };
}

function raceOf({ racing, bothLegs, finishing }: Claimed): Pick<Claimed, 'racing' | 'bothLegs' | 'finishing'> {
  return { ...(racing === undefined ? {} : { racing }), ...(bothLegs === undefined ? {} : { bothLegs }), ...(finishing === undefined ? {} : { finishing }) };
}

/**
 * A refund of ours was on its way when the claim showed in the operator's queue. A round that fails frees the coin, and
 * then the refund takes it after all: the payment is settled with the client's secret, so what came back is the client's.
 */
export function raceOver(t: T, p: P & { at: 'claimed' | 'settled' }, event: Event, now: Clocks): Outcome<P> | null {
  if (p.racing === undefined) return null;
  // It was under way when the claim showed, and the operator took it: left half done, it would be neither ours nor the client's.
  if (event.is === 'vhtlc.accepted' && event.purpose === 'refund') return move<P>({ ...p, finishing: true }, { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid });
  if (event.is === 'vhtlc.prepared' && event.purpose === 'refund' && p.finishing === true) return move<P>(p, { do: 'vhtlc.submit', purpose: 'refund', txid: event.txid });
  const { racing: _, finishing: __, ...rest } = p;
  const back = (event.is === 'vhtlc.final' && event.purpose === 'refund') || event.is === 'chain.final';
  if (back) return bothLegs(t, rest);
  const coin = lockedCoin(p, event);
  if (coin === null || !coin.spent || coin.spend === null || coin.spend === 'unknown' || !stands(coin, now)) return null;
  if (leafOf(coin)?.leaf !== 'refund-without-receiver') return move<P>(rest as P);
  const { spentIn: txid } = coin;
  if (txid === null || coin.settledBy !== null || coin.onChain !== undefined) return bothLegs(t, rest);
  if (p.bothLegs === true) return null;
  // Made again it is the same one, and is finished, should the answer to it have been lost.
  return { ...bothLegs(t, { ...p, finishing: true }), effects: p.finishing === true ? [] : [refundEffect(t, p)] };
}

function bothLegs(t: T, p: Omit<P & { at: 'claimed' | 'settled' }, 'racing'>): Step<P> {
  if (p.bothLegs === true) return move<P>(p as P); // told already
  return {
    progress: { ...p, bothLegs: true } as P,
    effects: [],
    flag: `Both legs of this swap are ours: our refund took the VHTLC back while the client's claim waited at the operator, and its payment is settled. ${t.targetAmount} sats are owed to the client: pay them to ${t.targetArkadeAddress}.`,
  };
}

function lost(t: T, p: Claimed): Step<P> {
  return {
    progress: { at: 'lost', claimTxid: p.claimTxid, ...lockOf(p) },
    effects: [],
    supersedes: true,
    ledger: [{ kind: 'loss', amountMsat: -t.targetAmount * 1_000n }],
    flag: 'The client claimed the VHTLC and its payment went back: the settlement came too late.',
  };
}
