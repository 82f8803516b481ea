import { btc } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Clocks } from '../../domain/time.ts';
import type { Event, Outcome, Step } from '../machine.ts';
import { whenClaiming, type Ends } from '../onchain-source/claiming.ts';
import * as source from '../onchain-source/over.ts';
import { leftOver, neitherLeg, raceOver, type Race } from '../vhtlc-target/race.ts';
import { refundEffect, whoseBatch } from '../vhtlc-target/refunding.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms, Returned } from './terms.ts';

type P = BitcoinArkadeProgress;
type T = BitcoinArkadeTerms;
type Claiming = P & { at: 'claiming' };
/** The client's claim was believed, and a refund of ours may have beaten it. */
type Beaten = P & { at: 'claiming' | 'claimed' | 'lost' };

const race: Race<Beaten, P> = {
  returned: (p, refundTxid) => ({
    at: 'refunded',
    clientTxid: null,
    strays: p.strays,
    returned: { fundTxid: p.lock.txid, refundTxid },
  }),
  taken: 'its bitcoin is claimed',
  back: 'the client has its bitcoin again',
};

/** The secret is ours: the bitcoin is claimed, whatever becomes of anything else. */
export function whenRedeemed(t: T, p: Claiming, event: Event, now: Clocks): Outcome<P> {
  return whenClaiming<Claiming, P>(t, p, event, ends(t)) ?? raceOver<Beaten, P>(t, p, event, now, race) ?? 'stay';
}

const ends = (t: T): Ends<Claiming, P> => ({
  claimed: ({ gone: _, halted: __, parent: ___, ...p }, txid) => ({
    progress: { ...p, at: 'claimed', mined: txid },
    effects: [],
    // What is left of a race is still to be finished.
    ...(p.racing === undefined ? { supersedes: true } : {}),
  }),
  lost: (p) => lost(t, p),
});

function lost(t: T, { gone: _, halted: __, parent: ___, ...p }: Claiming): Step<P> {
  if (p.bothLegs === true && p.racing === undefined) return neitherLeg<Beaten, P>(p, p.refundTxid ?? null, race, []);
  return {
    // Whether its claim did take the VHTLC is looked at once more.
    progress: { ...p, at: 'lost', racing: true },
    // What the operator accepted of ours is made final all the same, and whose batch it was is asked on.
    effects: [...(p.finishing === true ? [refundEffect(t, p)] : []), ...(p.asked === true ? [whoseBatch(t, p)] : [])],
    supersedes: true,
    ledger: [{ kind: 'loss', ...btc('arkade', -t.targetAmount) }],
    flag: 'The client claimed the VHTLC and took its bitcoin back: our claim came too late.',
  };
}

/** The bitcoin is gone, to us or to the client; whose the VHTLC is may still show. */
export function whenOver(t: T, p: P & { at: 'claimed' | 'lost' }, event: Event, now: Clocks): Outcome<P> {
  if ('txid' in event && isOurs(p, event.txid)) return 'stay'; // of our claim, and late
  return (
    raceOver<Beaten, P>(t, p, event, now, race) ??
    leftOver<Beaten, P>(t, p, event, now, race) ??
    source.whenOver(t, p, event, now)
  );
}

function isOurs({ spends }: Pick<Claiming, 'spends'>, txid: Txid | null): boolean {
  return txid !== null && spends.includes(txid);
}

/** Our VHTLC is ours again for good: the client takes its bitcoin back. */
export function whenReturned(t: T, p: P & { at: 'returned' }, event: Event, now: Clocks): Outcome<P> {
  const { at: _, fundTxid, refundTxid, ...left } = p;
  const returned: Returned = { fundTxid, refundTxid };
  const outcome = source.whenStopped(t, { ...left, at: 'stopped' as const, why: 'wont' as const }, event, now);
  if (outcome === 'stay') return 'stay';
  const { progress, ...rest } = outcome;
  if (progress.at === 'refunded') return { ...rest, progress: { ...progress, returned } };
  if (progress.at === 'lapsed') return { ...rest, progress };
  const { why: __, at: ___, ...more } = progress;
  return { ...rest, progress: { at: 'returned', ...returned, ...more } };
}
