import { btc } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import { stands } from '../exit.ts';
import { move, type Event, type LedgerLine, type Outcome, type Step } from '../machine.ts';
import { leafOf } from '../source.ts';
import { whenCoinSeen, whileTaking, type Taker } from '../vhtlc-taking.ts';
import { ours, refundEffect, whoseBatch } from './refunding.ts';
import { lockDenied, lockedCoin, relayed } from './seen.ts';
import type { Lock, Raced, TargetTerms } from './terms.ts';

/** The claim was believed, and a refund of ours may have beaten it. `lost`: what the client gave went back to it. */
type Beaten = Lock & Raced & { readonly at: string; readonly claimTxid: Txid | null };

/** What a direction says of a race that our refund won. */
export interface Race<B extends Beaten, P> {
  /** Each has its own again. */
  returned(p: B, refundTxid: Txid): P;
  /** What we have of the client's, in words. */
  readonly taken: string;
  /** What the client has again, in words. */
  readonly back: string;
}

/**
 * A refund of ours was on its way when the claim showed in the operator's queue. A round that fails frees the coin, and
 * then the refund takes it after all: what the client gave was taken with its secret, so what came back is the client's.
 */
export function raceOver<B extends Beaten, P>(
  t: TargetTerms,
  p: B,
  event: Event,
  now: Clocks,
  race: Race<B, P>,
): Outcome<B | P> | null {
  const { racing, finishing, asked: batchAsked, ...others } = p;
  const rest = others as unknown as B;
  const final =
    event.is === 'onchain.final' || (event.is === 'vhtlc.final' && event.purpose === 'refund') ? event.txid : null;
  // Whatever was held for true of the race: what is final has the coin.
  if (final !== null && (racing !== undefined || p.bothLegs === undefined)) return bothLegs(t, rest, final, race);
  if (racing === undefined) return null;
  // It was under way when the claim showed, and the operator took it: left half done, it would be neither ours nor the client's.
  if (event.is === 'vhtlc.accepted' && event.purpose === 'refund')
    return move<B>(
      { ...p, finishing: true },
      { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid, coin: p.lock },
    );
  if (event.is === 'vhtlc.prepared' && event.purpose === 'refund' && finishing === true)
    return move<B>(p, { do: 'vhtlc.submit', purpose: 'refund', txid: event.txid, coin: p.lock });
  if (relayed(p, event)) return event.fact ? move<B>(rest) : null;
  // No batch has it after all: should one be shown again, it is asked again.
  if (event.is === 'vhtlc.refused' && event.purpose === 'refund' && batchAsked === true)
    return move<B>({ ...rest, racing, ...(finishing === undefined ? {} : { finishing }) });
  const coin = lockedCoin(p, event);
  // Which batch took the coin may be that of our refund: only what it pays says so (facts/faults.md 40).
  if (coin?.spend === 'hidden') return batchAsked === true ? null : move<B>({ ...p, asked: true }, whoseBatch(t, p));
  if (coin === null || !coin.spent || coin.spend === null || coin.spend === 'unknown' || !stands(coin, now))
    return null;
  if (leafOf(coin)?.leaf !== 'refund-without-receiver') return move<B>(rest);
  const { spentIn: txid } = coin;
  const alone = txid === null || coin.settledBy !== null || coin.onChain !== undefined;
  if (alone) return bothLegs(t, rest, coin.settledBy ?? txid, race);
  if (p.bothLegs === true || (p.at === 'lost' && finishing === true)) return null;
  // Made again it is the same one, and is finished, should the answer to it have been lost.
  const step: Step<B | P> =
    p.at === 'lost' ? move<B>({ ...p, finishing: true }) : bothLegs(t, { ...p, finishing: true }, txid, race);
  return { ...step, effects: finishing === true ? [] : [refundEffect(t, p)] };
}

/**
 * The client has again what it gave, and its claim waited in a queue or a mempool and took nothing: then the VHTLC is ours, and is taken
 * back wherever it lies. Left there, whoever has the secret takes it one day.
 */
export function leftOver<B extends Beaten, P>(
  t: TargetTerms,
  p: B,
  event: Event,
  now: Clocks,
  race: Race<B, P>,
): Outcome<B | P> | null {
  if (p.at !== 'lost' || p.racing === undefined || p.asked === true) return null;
  const refund: Taker<B, Step<P>> = {
    purpose: 'refund',
    ours: (of) => ours(t, of),
    sent: ({ refundTxid = null }) => refundTxid,
    withSent: ({ refundTxid: _, ...of }, txid) =>
      ({ ...of, ...(txid === null ? {} : { refundTxid: txid }) }) as unknown as B,
    taken: (of, txid) => neitherLeg(of, txid, race, backAgain(t)),
    denied: lockDenied,
  };
  if (event.is !== 'vhtlc.seen') return p.finishing === true ? whileTaking(refund, p, event) : null;
  const coin = lockedCoin(p, event);
  if (coin === null) return null;
  if (p.finishing === true) return whenCoinSeen(refund, p, coin, now);
  return coin.spent ? null : move<B>({ ...p, finishing: true }, refundEffect(t, p));
}

function bothLegs<B extends Beaten, P>(t: TargetTerms, p: B, refundTxid: Txid | null, race: Race<B, P>): Step<B | P> {
  if (p.at === 'lost') return neitherLeg(p, refundTxid, race, backAgain(t));
  const progress: B = { ...p, bothLegs: true, ...(refundTxid === null ? {} : { refundTxid }) };
  if (p.bothLegs === true) return move<B>(progress); // told already
  return {
    progress,
    effects: [],
    flag: `Both legs of this swap are ours: our refund took the VHTLC back while the client's claim waited at the operator, and ${race.taken}. ${t.targetAmount} sats are owed to the client: pay them to ${t.targetArkadeAddress}.`,
  };
}

/** What was booked as lost. */
function backAgain(t: TargetTerms): LedgerLine[] {
  return [{ kind: 'loss', ...btc('arkade', t.targetAmount) }];
}

/** The claim took nothing, and what the client gave went back all the same: each has its own again. */
export function neitherLeg<B extends Beaten, P>(
  p: B,
  refundTxid: Txid | null,
  race: Race<B, P>,
  ledger: readonly LedgerLine[],
): Step<P> {
  return {
    // A refund that came back through a batch or on the chain names its transaction; should none be known, the lock stands for it.
    progress: race.returned(p, refundTxid ?? p.lock.txid),
    effects: [],
    supersedes: true,
    flag: `The claim of the client did not take the VHTLC: our refund brought it back, and ${race.back}. Nothing is lost, and nothing is owed.`,
    ...(ledger.length === 0 ? {} : { ledger }),
  };
}
