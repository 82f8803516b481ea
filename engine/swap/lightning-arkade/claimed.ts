import { btc } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { blocksAfterTimeout } from '../../legs/timelocks.ts';
import { stands } from '../exit.ts';
import { move, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { leafOf } from '../source.ts';
import { refundEffect, whoseBatch } from './refunding.ts';
import { lockedCoin, relayed } from './seen.ts';
import { lockOf, type LightningArkadeProgress, type LightningArkadeTerms, type Raced } from './terms.ts';

type P = LightningArkadeProgress;
type T = LightningArkadeTerms;
type Claimed = P & { at: 'claimed' };
/** The claim was believed, and a refund of ours may have beaten it. */
type Beaten = P & { at: 'claimed' | 'settled' | 'lost' };

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
      return p.expiryHeight !== undefined &&
        now.bitcoin.height !== null &&
        now.bitcoin.height > p.expiryHeight + blocksAfterTimeout
        ? lost(t, p)
        : {
            progress: p,
            effects: [],
            flag: 'The client claimed the VHTLC and this Lightning node does not know the payment: connect the node that holds it, before it times out.',
          };
    default:
      return 'stay';
  }
}

function settled(t: T, p: Claimed): Step<P> {
  return {
    progress: { at: 'settled', claimTxid: p.claimTxid, ...lockOf(p), ...raceOf(p) },
    effects: [],
    ledger: [
      { kind: 'protocol-fee', ...btc('arkade', t.feeSats) },
      { kind: 'network-fee-charged', ...btc('arkade', t.networkFeeSats) },
    ],
  };
}

function raceOf({ racing, bothLegs, refundTxid, finishing, asked: batchAsked }: Claimed): Raced {
  return {
    ...(racing === undefined ? {} : { racing }),
    ...(bothLegs === undefined ? {} : { bothLegs }),
    ...(refundTxid === undefined ? {} : { refundTxid }),
    ...(finishing === undefined ? {} : { finishing }),
    ...(batchAsked === undefined ? {} : { asked: batchAsked }),
  };
}

/**
 * A refund of ours was on its way when the claim showed in the operator's queue. A round that fails frees the coin, and
 * then the refund takes it after all: the payment is settled with the client's secret, so what came back is the client's.
 */
export function raceOver(t: T, p: Beaten, event: Event, now: Clocks): Outcome<P> | null {
  const { racing, finishing, asked: batchAsked, ...rest } = p;
  const final =
    event.is === 'onchain.final' || (event.is === 'vhtlc.final' && event.purpose === 'refund') ? event.txid : null;
  // Whatever was held for true of the race: what is final has the coin.
  if (final !== null && (racing !== undefined || p.bothLegs === undefined)) return bothLegs(t, rest, final);
  if (racing === undefined) return null;
  // It was under way when the claim showed, and the operator took it: left half done, it would be neither ours nor the client's.
  if (event.is === 'vhtlc.accepted' && event.purpose === 'refund')
    return move<P>({ ...p, finishing: true }, { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid });
  if (event.is === 'vhtlc.prepared' && event.purpose === 'refund' && finishing === true)
    return move<P>(p, { do: 'vhtlc.submit', purpose: 'refund', txid: event.txid });
  if (relayed(p, event)) return event.fact ? move<P>(rest) : null;
  // No batch has it after all: should one be shown again, it is asked again.
  if (event.is === 'vhtlc.refused' && event.purpose === 'refund' && batchAsked === true)
    return move<P>({ ...rest, racing, ...(finishing === undefined ? {} : { finishing }) });
  const coin = lockedCoin(p, event);
  // Which batch took the coin may be that of our refund: only what it pays says so (facts/faults.md 40).
  if (coin?.spend === 'hidden') return batchAsked === true ? null : move<P>({ ...p, asked: true }, whoseBatch(t, p));
  if (coin === null || !coin.spent || coin.spend === null || coin.spend === 'unknown' || !stands(coin, now))
    return null;
  if (leafOf(coin)?.leaf !== 'refund-without-receiver') return move<P>(rest);
  const { spentIn: txid } = coin;
  const alone = txid === null || coin.settledBy !== null || coin.onChain !== undefined;
  if (alone) return bothLegs(t, rest, coin.settledBy ?? txid);
  if (p.bothLegs === true || (p.at === 'lost' && finishing === true)) return null;
  // Made again it is the same one, and is finished, should the answer to it have been lost.
  const step = p.at === 'lost' ? move<P>({ ...p, finishing: true }) : bothLegs(t, { ...p, finishing: true }, txid);
  return { ...step, effects: finishing === true ? [] : [refundEffect(t, p)] };
}

function bothLegs(t: T, p: Beaten, refundTxid: Txid | null): Step<P> {
  if (p.at === 'lost') return neitherLeg(p, refundTxid, [{ kind: 'loss', ...btc('arkade', t.targetAmount) }]);
  const progress: P = { ...p, bothLegs: true, ...(refundTxid === null ? {} : { refundTxid }) };
  if (p.bothLegs === true) return move<P>(progress); // told already
  return {
    progress,
    effects: [],
    flag: `Both legs of this swap are ours: our refund took the VHTLC back while the client's claim waited at the operator, and its payment is settled. ${t.targetAmount} sats are owed to the client: pay them to ${t.targetArkadeAddress}.`,
  };
}

/** The claim took nothing, and its payment went back all the same: each has its own again. */
function neitherLeg(p: Beaten, refundTxid: Txid | null, ledger: readonly LedgerLine[]): Step<P> {
  const flag =
    'The claim of the client did not take the VHTLC: our refund brought it back, and the payment went back to its payer. Nothing is lost, and nothing is owed.';
  // A refund that came back through a batch or on the chain names its transaction; should none be known, the lock stands for it.
  return {
    progress: { at: 'returned', refundTxid: refundTxid ?? p.lock.txid, ...lockOf(p) },
    effects: [],
    supersedes: true,
    flag,
    ...(ledger.length === 0 ? {} : { ledger }),
  };
}

function lost(t: T, p: Claimed): Step<P> {
  if (p.bothLegs === true && p.racing === undefined) return neitherLeg(p, p.refundTxid ?? null, []);
  return {
    progress: { at: 'lost', claimTxid: p.claimTxid, ...lockOf(p), ...(p.racing === undefined ? {} : { ...raceOf(p) }) },
    // What the operator accepted of ours is made final all the same, and whose batch it was is asked on.
    effects: [...(p.finishing === true ? [refundEffect(t, p)] : []), ...(p.asked === true ? [whoseBatch(t, p)] : [])],
    supersedes: true,
    ledger: [{ kind: 'loss', ...btc('arkade', -t.targetAmount) }],
    flag: 'The client claimed the VHTLC and its payment went back: the settlement came too late.',
  };
}
