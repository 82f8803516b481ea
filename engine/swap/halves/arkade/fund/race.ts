import type { Txid } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { exitEffect, stands } from '../exit.ts';
import { isFact, stepTo, type Answer, type News } from '../../answer.ts';
import type { LostFact, NeitherFact } from '../../fund.ts';
import type { Surety } from '../../surety.ts';
import { takes } from '../../takes.ts';
import { move, type Effect, type Event, type LedgerLine } from '../../../machine.ts';
import { lossUndone, lossOf } from '../../../ledger.ts';
import { leafOf } from '../../extra-coins.ts';
import { whenCoinSeen, whileTaking, type Taker } from '../taking.ts';
import { ours, refundEffect, whoseBatch } from './refunding.ts';
import { lockDenied, lockedCoin, relayed } from './seen.ts';
import { revealedOf, type ArkadeFund, type Lock, type Revealed, type TargetTerms as T } from './terms.ts';

type Neither = News<NeitherFact<ArkadeFund>>;
type Raced<S> = Answer<S, NeitherFact<ArkadeFund>>;
/** The claim was believed, and a refund of ours may have beaten it. */
type Beaten = Revealed & { readonly at: 'claiming' | 'claimed' | 'lost' };

/**
 * A refund of ours was on its way when the claim showed in the operator's queue. A round that fails frees the coin, and
 * then the refund takes it after all: what the client gave was taken with its secret, so what came back is the
 * client's.
 */
export function raceOver<S extends Beaten>(t: T, p: S, event: Event, now: Clocks, surety: Surety): Raced<S> | null {
  const { racing, finishing, asked: batchAsked, ...others } = p;
  const rest = others as unknown as S;
  const ended = event.is === 'onchain.final' || (event.is === 'vhtlc.final' && event.purpose === 'refund');
  const final = ended && takes(event, p.lock) ? event.txid : null;
  // A final refund settles the race, whatever was assumed.
  if (final !== null && (racing !== undefined || p.bothLegs === undefined)) return bothLegs(t, rest, final, surety);
  if (racing === undefined) return null;
  // The operator accepted our refund before the claim showed: it is finalized, or the coin stays half spent.
  if (event.is === 'vhtlc.accepted' && event.purpose === 'refund' && takes(event, p.lock))
    return move<S>(
      { ...p, finishing: true },
      { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid, coin: p.lock },
    );
  if (event.is === 'vhtlc.prepared' && event.purpose === 'refund' && takes(event, p.lock) && finishing === true)
    return move<S>(p, { do: 'vhtlc.submit', purpose: 'refund', txid: event.txid, coin: p.lock });
  if (relayed(p, event)) return event.fact ? move<S>(rest) : null;
  // No batch has it after all: should one be shown again, it is asked again.
  if (event.is === 'vhtlc.refused' && event.purpose === 'refund' && takes(event, p.lock) && batchAsked === true)
    return move<S>({ ...rest, racing, ...(finishing === undefined ? {} : { finishing }) });
  const coin = lockedCoin(p, event);
  // Which batch took the coin may be that of our refund: only what it pays says so (facts/faults.md 40).
  if (coin?.spend === 'hidden') return batchAsked === true ? null : move<S>({ ...p, asked: true }, whoseBatch(t, p));
  if (coin === null || !coin.spent || coin.spend === null || coin.spend === 'unknown' || !stands(coin, now))
    return null;
  if (leafOf(coin)?.leaf !== 'refund-without-receiver') return move<S>(rest);
  const { spentIn: txid } = coin;
  const alone = txid === null || coin.settledBy !== null || coin.onChain !== undefined;
  if (alone) return bothLegs(t, rest, coin.settledBy ?? txid, surety);
  if (p.bothLegs === true || (p.at === 'lost' && finishing === true)) return null;
  // Made again it is the same one, and is finished, should the answer to it have been lost.
  const answer: Raced<S> =
    p.at === 'lost' ? move<S>({ ...p, finishing: true }) : bothLegs(t, { ...p, finishing: true }, txid, surety);
  if (answer === 'stay' || isFact(answer)) return answer;
  return { ...answer, effects: finishing === true ? [] : [refundEffect(t, p)] };
}

/**
 * The client has again what it gave, and its claim waited in a queue or a mempool and took nothing: then the VHTLC is
 * ours, and is taken back wherever it lies. Left there, whoever has the secret takes it one day.
 */
export function leftOver<S extends Beaten>(t: T, p: S, event: Event, now: Clocks, surety: Surety): Raced<S> | null {
  if (p.at !== 'lost' || p.racing === undefined || p.asked === true) return null;
  const refund: Taker<S, Neither> = {
    purpose: 'refund',
    ours: (of) => ours(t, of),
    sent: ({ refundTxid = null }) => refundTxid,
    withSent: ({ refundTxid: _, ...of }, txid) =>
      ({ ...of, ...(txid === null ? {} : { refundTxid: txid }) }) as unknown as S,
    taken: (of, txid) => neither(of, txid, surety, [lossUndone('arkade', t)]),
    denied: lockDenied,
  };
  if (event.is !== 'vhtlc.seen') return p.finishing === true ? whileTaking(refund, p, event) : null;
  const coin = lockedCoin(p, event);
  if (coin === null) return null;
  if (p.finishing === true) return whenCoinSeen(refund, p, coin, now);
  return coin.spent ? null : move<S>({ ...p, finishing: true }, refundEffect(t, p));
}

/** A refund that is made final or made anew, and the question whose batch has the coin. */
export function resumeRace(t: T, p: Revealed): readonly Effect[] {
  const refund = p.exit === true ? exitEffect({ purpose: 'refund', ...ours(t, p) }) : refundEffect(t, p);
  return [...(p.finishing === true ? [refund] : []), ...(p.asked === true ? [whoseBatch(t, p)] : [])];
}

function bothLegs<S extends Beaten>(t: T, p: S, refundTxid: Txid | null, surety: Surety): Raced<S> {
  if (p.at === 'lost') return neither(p, refundTxid, surety, [lossUndone('arkade', t)]);
  const progress: S = { ...p, bothLegs: true, ...(refundTxid === null ? {} : { refundTxid }) };
  if (p.bothLegs === true) return move<S>(progress); // told already
  return stepTo(progress, {
    flag:
      `Both legs of this swap are ours: our refund took the VHTLC back while the client's claim waited at the ` +
      `operator, and ${surety.words.taken}. ${t.targetAmount} sats are owed to the client: pay them to ` +
      `${t.targetArkadeAddress ?? 'whoever shows the secret'}.`,
  });
}

/** The claim took nothing, and what the client gave went back all the same: each has its own again. */
function neither({ lock }: Lock, refundTxid: Txid | null, { words }: Surety, ledger: readonly LedgerLine[]): Neither {
  return {
    fact: 'neither',
    // A refund that came back through a batch or on the chain names its transaction; should none be known, the lock
    // stands for it.
    returned: { fundTxid: lock.txid, refundTxid: refundTxid ?? lock.txid },
    along: {
      supersedes: true,
      flag:
        `The claim of the client did not take the VHTLC: our refund brought it back, and ${words.back}. Nothing is ` +
        'lost, and nothing is owed.',
      ...(ledger.length === 0 ? {} : { ledger }),
    },
  };
}

/** The client took back what it gave, and may have the VHTLC. */
export function whenLost(t: T, p: Revealed, took: string, surety: Surety): News<LostFact<ArkadeFund>> | Neither {
  if (p.bothLegs === true && p.racing === undefined) return neither(p, p.refundTxid ?? null, surety, []);
  // Whether its claim did take the VHTLC is looked at once more, where that was believed before it was a fact.
  const racing = surety.isPatient ? { racing: true as const } : {};
  return {
    fact: 'lost',
    revealed: { ...revealedOf(p), ...racing },
    along: {
      // What the operator accepted of ours is made final all the same, and whose batch it was is asked on.
      effects: [...(p.finishing === true ? [refundEffect(t, p)] : []), ...(p.asked === true ? [whoseBatch(t, p)] : [])],
      supersedes: true,
      ledger: [lossOf('arkade', t)],
      flag: `${took} although it had claimed our VHTLC.`,
    },
  };
}
