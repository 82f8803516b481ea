import type { Preimage } from '../../../../domain/hash.ts';
import type { Txid } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { dayAfter, fromText, locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { safeToRefund } from '../../../../legs/safety/refund.ts';
import { locktimePassed } from '../../../../legs/timelocks.ts';
import { stepTo, type Along } from '../../answer.ts';
import type { ForgottenAmount } from '../../fund.ts';
import type { Backing, Surety } from '../../surety.ts';
import { move, type Event, type EventOf } from '../../../machine.ts';
import { keptEffects, sendEffect, takeBack } from './effects.ts';
import { claimOf, endOfCoin, fundingEnd, ownCoin, sameCoin } from './seen.ts';
import {
  placedOf,
  type CoinEnd,
  type OnchainTargetTerms as T,
  type Placed,
  type Redeem,
  type Stage,
  type Moved,
  type Fact,
  type Reply,
} from './terms.ts';

type Look = EventOf<'htlc.seen'>;

function declined(reason: string, along: Along = {}, why: 'wont' | 'late' = 'wont'): Fact {
  return { fact: 'declined', why, reason, doubt: null, along };
}

function locked(p: Placed, along: Along = {}): Fact {
  return { fact: 'next', next: { at: 'locked', ...placedOf(p) }, along };
}

/** The client's lock is accepted, and nothing of ours is signed yet. */
export function whenFunded<S extends Stage<'funded'>>(t: T, p: S, event: Event, backing: Backing): Reply<S> {
  switch (event.is) {
    case 'htlc.prepared': {
      if (p.other === true) return 'stay';
      const { payment, output, height } = event;
      const funding = { payment, height };
      const next = { at: 'funding', output, funding, buried: false } as const;
      return { fact: 'next', next, along: { effects: [sendEffect(t, funding, backing)] } };
    }
    case 'htlc.refused':
      if (event.unsure !== true) return declined(event.reason);
      return event.output === undefined
        ? doubted(t, null, event.reason, backing)
        : locked({ output: event.output, funding: null, buried: true });
    case 'htlc.seen':
      return whenOtherSeen(t, p, event);
    default:
      return null;
  }
}

/**
 * A coin of the amount at our own script: a funding of ours that a restored database forgot, or a gift. Mined it is the
 * swap's coin; while it is not, nothing is funded beside it, and nobody is told of it, for it may still be replaced
 * (facts/faults.md 5, 12). Until no time is left to fund anything: whoever lets it wait gets no liquidity kept for it,
 * and no refund signed, for it may be ours.
 */
function whenOtherSeen<S extends Stage<'funded'>>(t: T, p: S, event: Look): Moved<S> {
  const coin = sameCoin(t, event);
  if (coin === null) return p.other === true ? { fact: 'again' } : 'stay';
  const mined = lockFound(t, event);
  if (mined !== null) return { ...mined, along: { ...mined.along, interrupts: true } };
  const placed: Placed = { output: coin.outpoint, funding: null, buried: true };
  if (event.mtp <= t.lockBefore)
    return p.other === true ? 'stay' : { ...move<S>({ ...p, other: true }), interrupts: true };
  return {
    fact: 'declined',
    why: 'wont',
    reason: 'another coin waits at our script, and too little time is left to fund it',
    doubt: { placed },
    along: { supersedes: true },
  };
}

/** A mined coin of the amount, or of any, at our own script, whoever paid it: null where there is none. */
export function lockFound(t: T, event: Event, holds?: ForgottenAmount): Fact | null {
  if (event.is !== 'htlc.seen') return null;
  const coin = sameCoin(t, event, holds);
  if (coin === null || coin.height === null) return null;
  return standing(t, { output: coin.outpoint, funding: null, buried: true }, event);
}

/** Our funding is signed, and on its way unless it comes too late: it is told of once somebody shows it. */
export function whenSending(t: T, p: Stage<'funding'>, event: Event, surety: Surety): Fact | 'stay' | null {
  if (event.is === 'htlc.seen')
    return ownCoin(p, event) === null
      ? 'stay'
      : // Somebody may build on it: it is kept on the chain whatever becomes of the other side, and of the time.
        standing(t, p, event, { interrupts: true, effects: keptEffects(t, p, null) });
  const end = whenFundingEnds(t, p, event, 'late', surety);
  if (end === null || 'fact' in end) return end;
  return locked({ ...p, buried: true }, end);
}

/** Our coin is on the chain. `along` applies where it is unspent. */
function standing(t: T, p: Placed, event: Look, along: Along = {}): Fact {
  return coinSeen(t, p, event) ?? locked(isFirstBlock(p, event) ? { ...p, inBlock: true } : p, along);
}

/** A block holds our coin, and none did before: published clients claim it from there on. */
function isFirstBlock(p: Placed, event: Look): boolean {
  return p.inBlock !== true && !p.buried && (ownCoin(p, event)?.height ?? null) !== null;
}

/** The client's claim, or a refund of ours that stands: null for what decides nothing. */
function coinSeen(t: T, p: Placed, event: Look): Fact | null {
  const coin = ownCoin(p, event);
  if (coin === null) return null;
  const claim = claimOf(t, coin);
  const end = endOfCoin(coin, event);
  if (claim !== null) return revealed(t, p, { ...claim, spends: [], end });
  return end === 'refunded' && coin.spend !== null ? returned(p, coin.spend.txid) : null;
}

/**
 * Seen in a mempool is enough: the secret is saved, and from here on our coin is the client's (facts/faults.md 15, 16).
 */
export function revealed(
  t: T,
  p: Placed,
  claim: {
    readonly redeem: Redeem;
    /** Left out where it was saved before. */
    readonly preimage?: Preimage;
    /** Of ours that were signed before. */
    readonly spends: readonly Txid[];
    readonly end: CoinEnd | null;
    /** It is that of our partial signature. */
    readonly cosign?: true;
  },
): Fact {
  const { redeem, preimage, spends, end, cosign } = claim;
  return {
    fact: 'revealed',
    revealed: { ...placedOf(p), redeem, spends: [...spends], end, ...(cosign === undefined ? {} : { cosign }) },
    along: {
      effects: keptEffects(t, p, end === null ? redeem : null),
      // A refund of ours is sent and raised no more.
      interrupts: true,
      ...(preimage === undefined ? {} : { learned: preimage }),
    },
  };
}

/** Our coin is ours again for good: only now may the client's refund be signed. */
export function returned(p: Placed, refundTxid: Txid, along: Along = {}): Fact {
  const reason = 'the client did not claim in time';
  return { fact: 'returned', reason, returned: { ...placedOf(p), refundTxid }, along };
}

/**
 * The end of the transaction that funds our coin; where it is buried, what comes along with that. Null: the event does
 * not concern it.
 */
function whenFundingEnds(t: T, p: Placed, event: Event, tooLate: 'wont' | 'late', surety: Surety): Fact | Along | null {
  const end = fundingEnd(p, event);
  switch (end?.is) {
    case undefined:
      return null;
    case 'buried':
      return { ledger: end.ledger };
    case 'late':
      return declined(end.reason, { supersedes: true }, tooLate);
    case 'spent':
      // Nothing that spends it can be mined any more, neither a claim nor a refund.
      return declined('what was to fund our part was spent elsewhere', {
        supersedes: true,
        flag:
          'A coin that was to fund this swap was spent by a transaction that this node did not make: see whether ' +
          'another program uses its wallet.',
      });
    case 'refused':
      return doubted(t, placedOf(p), end.reason, surety);
  }
}

/**
 * The node refused the funding, and it may be known elsewhere: the client's refund is not signed, it refunds alone in
 * the end, and the script stays watched until then.
 */
function doubted(t: T, placed: Placed | null, reason: string, { alone }: Surety): Fact {
  return {
    fact: 'declined',
    why: 'wont',
    reason,
    doubt: { placed },
    along: {
      flag:
        `It is not known whether our HTLC is funded, so the client’s refund is not signed: ${reason}. ` +
        `See by a block explorer whether ${t.htlcAddress} was ever paid. A coin that lies there is found by itself. ` +
        `If no coin came, the client takes its lock back alone, from ${fromText(alone)} on. A spent coin ` +
        `shows the secret, which opens the client's lock until then: claim that by hand.`,
    },
  };
}

/**
 * A coin that was in doubt is on the chain, or is not seen yet. One that nothing shows a day after we could take it
 * back is waited for no more: nobody has it to claim. That the client took back what it gave says nothing of it
 * (facts/faults.md 123).
 */
export function whenDoubted(
  t: T,
  placed: Placed | null,
  event: Event,
  holds: ForgottenAmount,
): Fact | { readonly fact: 'settled' } | 'stay' | null {
  if (event.is !== 'htlc.seen') return null;
  const coin = placed === null ? sameCoin(t, event, holds) : ownCoin(placed, event);
  if (coin === null) return locktimePassed(dayAfter(locktimeOf(t.htlc)), event) ? { fact: 'settled' } : 'stay';
  // Nobody keeps it on the chain for us any more: until a block has it, or a claim, it may go away again.
  if (coin.height === null && (placed === null || coin.spend === null)) return 'stay';
  return standing(t, placed ?? { output: coin.outpoint, funding: null, buried: true }, event);
}

/** Our coin is out: the client claims it, or we take it back once its locktime has passed. */
export function whenLocked<S extends Stage<'locked'>>(t: T, p: S, event: Event, now: Clocks, surety: Surety): Reply<S> {
  switch (event.is) {
    case 'htlc.seen':
      return coinSeen(t, p, event) ?? (isFirstBlock(p, event) ? stepTo<S>({ ...p, inBlock: true }) : 'stay');
    case 'clock':
      if (safeToRefund({ refundLocktime: locktimeOf(t.htlc) }, now) !== null) return 'stay';
      return {
        fact: 'next',
        next: { at: 'refunding', spends: [], ...placedOf(p) },
        along: { effects: [takeBack(t, p, surety)] },
      };
    default:
      return whenBurying(t, p, event, surety);
  }
}

export function whenBurying<S extends Stage<'locked' | 'refunding'>>(
  t: T,
  p: S,
  event: Event,
  surety: Surety,
): Reply<S> {
  const end = whenFundingEnds(t, p, event, 'wont', surety);
  return end === null || 'fact' in end ? end : stepTo<S>({ ...p, buried: true }, end);
}
