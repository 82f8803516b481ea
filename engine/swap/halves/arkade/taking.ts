import type { Txid } from '../../../domain/outpoint.ts';
import { furthest, type Clocks } from '../../../domain/time.ts';
import type { SeenCoin } from '../../../legs/arkade/events.ts';
import { isEarlyRefund, isUnsignedClaim } from '../../../legs/arkade/spend.ts';
import type { OnlyIf } from '../../../legs/only-if.ts';
import { broadcastEffect } from '../broadcast.ts';
import { takes } from '../takes.ts';
import {
  move,
  type Effect,
  type Event,
  type LedgerLine,
  type Outcome,
  type Step,
  type EventOf,
} from '../../machine.ts';
import { feePaid } from '../../ledger.ts';
import { exitEffect, operatorFee, stands, stillOurs, type Exiting } from './exit.ts';

/*
 * A coin at a VHTLC is taken in one way, whether we provide the swap or are its client: what the other side funded is
 * claimed, what we funded is refunded. Through the operator while it serves; on the chain once the coin lies there,
 * whatever the operator calls it.
 *
 * Loses money when wrong: a coin that lies unspent on the chain and that nobody takes there; one that is called spent
 * once, and never looked at again; the end of a transaction over another coin taken for the end of ours.
 */

/**
 * Fields of a state while a coin is being claimed or refunded. `exit`: the coin left the operator, and our transaction
 * is one on the chain. `halted`: it was called spent when we came for it, and the next look that shows it to be had
 * tries again.
 */
interface Taking {
  readonly exit?: true;
  readonly halted?: true;
}

/** `R`: what the end of it comes to for whoever takes it. */
export interface Taker<C extends Taking, R> {
  readonly purpose: Exiting['purpose'];
  /** The coin, and our key in it. */
  ours(p: C): Omit<Exiting, 'purpose'>;
  /** Our transaction that is on its way; null while there is none. */
  sent(p: C): Txid | null;
  withSent(p: C, txid: Txid | null): C;
  /** What must still hold when it is prepared and when it is sent; left out where it is sent in any case. */
  onlyIf?(p: C): OnlyIf | undefined;
  taken(p: C, txid: Txid, costs: readonly LedgerLine[]): R;
  /** The operator refused it for something that it may take another time. Null: it is made again at leisure. */
  refused?(p: C, event: EventOf<'vhtlc.refused'>): R | null;
  /** For a person: the operator calls it spent by what fits none of its leaves. */
  readonly denied: string;
}

/** Asks for our transaction through the operator: prepared, and not sent. */
function takeEffect<C extends Taking, R>(taker: Taker<C, R>, p: C): Effect {
  return { do: `vhtlc.${taker.purpose}`, ...taker.ours(p), ...conditionOf(taker, p) };
}

/** What a state in which the coin is taken owes by itself; of one that was called spent it is asked once more. */
export function takingAnew<C extends Taking, R>(taker: Taker<C, R>, p: C): readonly Effect[] {
  return [p.exit === true ? exitEffect({ purpose: taker.purpose, ...taker.ours(p) }) : takeEffect(taker, p)];
}

/**
 * What our own transaction meets. One that takes another coin of the swap moves nothing. Null: the event does not
 * concern it.
 */
export function whileTaking<C extends Taking, R>(taker: Taker<C, R>, p: C, event: Event): Outcome<C> | R | null {
  switch (event.is) {
    case 'vhtlc.prepared':
    case 'vhtlc.accepted':
    case 'vhtlc.final':
    case 'vhtlc.refused':
      return event.purpose === taker.purpose && takes(event, taker.ours(p).coin)
        ? throughOperator(taker, p, event)
        : 'stay';
    case 'onchain.prepared':
    case 'onchain.stuck':
    case 'onchain.final':
    case 'onchain.refused':
      return p.exit === true && takes(event, taker.ours(p).coin) ? onTheChain(taker, p, event) : 'stay';
    default:
      return null;
  }
}

function throughOperator<C extends Taking, R>(
  taker: Taker<C, R>,
  p: C,
  event: EventOf<'vhtlc.prepared' | 'vhtlc.accepted' | 'vhtlc.final' | 'vhtlc.refused'>,
): Outcome<C> | R {
  const { purpose } = taker;
  switch (event.is) {
    case 'vhtlc.prepared':
      return move<C>(taker.withSent(p, event.txid), submitEffect(taker, p, event.txid));
    case 'vhtlc.accepted':
      return move<C>(p, { do: 'vhtlc.finalize', purpose, txid: event.txid, coin: taker.ours(p).coin });
    case 'vhtlc.final':
      return taker.taken(p, event.txid, operatorFee(event.fee));
    case 'vhtlc.refused':
      return refused(taker, p, event);
  }
}

function onTheChain<C extends Taking, R>(
  taker: Taker<C, R>,
  p: C,
  event: EventOf<'onchain.prepared' | 'onchain.stuck' | 'onchain.final' | 'onchain.refused'>,
): Outcome<C> | R {
  switch (event.is) {
    case 'onchain.prepared':
      return event.purpose === taker.purpose
        ? move<C>(taker.withSent(p, event.txid), broadcastEffect(taker.ours(p).coin, event))
        : 'stay';
    case 'onchain.stuck':
      return exit(taker, p, event.leastRate);
    case 'onchain.final':
      return taker.taken(p, event.txid, [feePaid(event)]);
    case 'onchain.refused':
      return exitRefused(taker, p, event);
  }
}

function conditionOf<C extends Taking, R>({ onlyIf }: Taker<C, R>, p: C): { readonly onlyIf?: OnlyIf } {
  const condition = onlyIf?.(p);
  return condition === undefined ? {} : { onlyIf: condition };
}

function submitEffect<C extends Taking, R>(taker: Taker<C, R>, p: C, txid: Txid): Effect {
  const { purpose, ours } = taker;
  return { do: 'vhtlc.submit', purpose, txid, coin: ours(p).coin, ...conditionOf(taker, p) };
}

/** The coin lies on the chain: there the leaf of ours that needs no operator takes it, once its delay is over. */
function exit<C extends Taking, R>(taker: Taker<C, R>, p: C, leastRate = 0): Step<C> {
  return move<C>({ ...p, exit: true }, exitEffect({ purpose: taker.purpose, ...taker.ours(p) }, leastRate));
}

function refused<C extends Taking, R>(taker: Taker<C, R>, p: C, event: EventOf<'vhtlc.refused'>): Outcome<C> | R {
  const own = taker.refused?.(p, event) ?? null;
  if (own !== null) return own;
  // The watch tells by whom, or that it was not.
  if (event.why === 'spent') return p.halted === true ? 'stay' : move<C>({ ...p, halted: true });
  switch (event.why) {
    case 'recoverable':
      return move<C>(p, { do: 'vhtlc.settle', purpose: taker.purpose, ...taker.ours(p) });
    case 'unrolled':
      return exit(taker, taker.withSent(p, null));
    default:
      return {
        progress: taker.withSent(unexited(p), null),
        effects: [takeEffect(taker, p)],
        flag: `The operator refused our ${taker.purpose}: ${event.reason}.`,
      };
  }
}

/**
 * A transaction that the chain does not take is none: what stands in its place may be ours all the same, or the other
 * side's.
 */
function exitRefused<C extends Taking, R>(taker: Taker<C, R>, p: C, event: EventOf<'onchain.refused'>): Outcome<C> {
  const none = taker.withSent(p, null);
  // Buried and not by a transaction that we know: the watch reads whose it is, or that it is none.
  if (event.why === 'spent') return move<C>({ ...none, halted: true });
  return { ...exit(taker, none), flag: `The Bitcoin node refused our ${taker.purpose}: ${event.reason}.` };
}

/** How its coin shows now. Null where that ends nothing, begins nothing, and alarms nobody. */
export function whenCoinSeen<C extends Taking, R>(
  taker: Taker<C, R>,
  p: C,
  seen: SeenCoin,
  now: Clocks,
): Step<C> | null {
  const { terms } = taker.ours(p);
  // What lay on the chain once is spent there, or not at all: no locktime makes the operator's word enough.
  const mtp = p.exit === true ? null : furthest(now.bitcoin).mtp;
  const isEarly = taker.purpose === 'claim' && isEarlyRefund(seen, terms, mtp);
  const coin: SeenCoin = isEarly ? { ...seen, spend: 'unknown' } : seen;
  const alarm = isDenied(taker, p, coin) ? ({ flag: taker.denied, distrust: true } as const) : null;
  const step = tookAgain(taker, p, coin, now);
  if (alarm === null) return step;
  return step === null ? { progress: p, effects: [], ...alarm } : { ...step, ...alarm };
}

/**
 * What its operator calls spent is ours on the chain, should the coin lie there: that no buried transaction spends it
 * decides (facts/arkade.md 32).
 */
function tookAgain<C extends Taking, R>(taker: Taker<C, R>, p: C, coin: SeenCoin, now: Clocks): Step<C> | null {
  const sent = taker.sent(p);
  const isThere = coin.unrolled && !(coin.spent && stands(coin, now));
  if (isThere && p.exit !== true && coin.spent && coin.spentIn !== sent)
    return exit(taker, taker.withSent(unhalted(p), null));
  if (p.halted !== true) return null;
  if (p.exit === true) return isThere ? exit(taker, unhalted(p)) : null;
  if (stillOurs(coin, sent)) return move<C>(unhalted(p), takeEffect(taker, p));
  // A batch took it, and no trace of it says whose that was: our own way through one finds it by what it pays.
  return coin.spend === 'hidden' ? move<C>(unhalted(p), batchEffect(taker, p)) : null;
}

function batchEffect<C extends Taking, R>(taker: Taker<C, R>, p: C): Effect {
  const { purpose } = taker;
  return { do: 'vhtlc.settle', purpose, ...taker.ours(p), ...(purpose === 'refund' ? { taken: true } : {}) };
}

function unhalted<C extends Taking>({ halted: _, ...p }: C): C {
  return p as unknown as C;
}

/** It is the operator's again, or never left it. */
function unexited<C extends Taking>({ exit: _, ...p }: C): C {
  return p as unknown as C;
}

/**
 * The operator says "spent", and no leaf of the script explains it: its word is not the script's verdict. It has our
 * secret from our claim: one that nobody signed, and that is not what we sent, says nothing of a coin that we claim.
 */
function isDenied<C extends Taking, R>(taker: Taker<C, R>, p: C, coin: SeenCoin): boolean {
  const { spent, spend } = coin;
  return spent && (spend === 'unknown' || (taker.purpose === 'claim' && isUnsignedClaim(coin, taker.sent(p))));
}
