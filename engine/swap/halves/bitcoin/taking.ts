import type { Outpoint, Txid } from '../../../domain/outpoint.ts';
import type { Locktime } from '../../../domain/time.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { SeenHtlcCoin } from '../../../legs/onchain/events.ts';
import type { ValueOf } from '../../../legs/shape.ts';
import type { OnlyIf } from '../../../legs/only-if.ts';
import { broadcastEffect } from '../broadcast.ts';
import { takes } from '../takes.ts';
import { move, type Effect, type Event, type LedgerLine, type Step, type EventOf } from '../../machine.ts';
import { feePaid } from '../../ledger.ts';
import type { coinTaking } from './taking-shape.ts';

/*
 * A coin at an HTLC of the Bitcoin chain is taken in one way, whether we provide the swap or are its client: what the
 * other side funded is claimed, what we funded is refunded.
 *
 * Loses money when wrong: a coin that is called spent once, and never looked at again; a transaction of ours that
 * nobody raises; the end of another transaction taken for the end of ours.
 */

/**
 * Fields of a state while a coin is being claimed or refunded. `spends`: every transaction of ours that was signed for
 * it, the newest last. `parent`: the bytes of what made the coin, sent with ours where no source has them any more.
 * `halted`: somebody else's spend of it was called buried when we came for it.
 */
export type CoinTaking = ValueOf<typeof coinTaking>;

export type SpendEffect = Extract<Effect, { do: 'htlc.spend' }>;

/**
 * Asks for our transaction, by the script of the HTLC: prepared, and not sent. Its fee rises so that it is mined by the
 * `deadline`; later, somebody else may have the coin. `leastRate` in sats per virtual byte, 0 for any.
 */
export function spendEffect(
  htlc: Pick<SpendEffect, 'purpose' | 'terms' | 'script' | 'key'>,
  { coin, parent }: Pick<SpendEffect, 'coin'> & { readonly parent?: Uint8Array | undefined },
  deadline: Locktime,
  leastRate: number,
): SpendEffect {
  const funding = parent === undefined ? {} : { funding: parent };
  return { do: 'htlc.spend', ...htlc, coin, ...funding, leastRate, deadline };
}

/** `R`: what the end of it comes to for whoever takes it. */
export interface CoinTaker<C extends CoinTaking, R> {
  readonly purpose: 'claim' | 'refund';
  coin(p: C): Outpoint;
  /** Asks for our transaction, at `leastRate` at least: prepared, and not sent. */
  effect(p: C, leastRate: number): Effect;
  /** What must still hold when it is sent for the first time; left out where it is sent in any case. */
  onlyIf?(p: C): OnlyIf | undefined;
  taken(p: C, txid: Txid, costs: readonly LedgerLine[]): R;
  /** It was never sent, for `onlyIf` did not hold any more. Null: it is made again. */
  late?(p: C, reason: string): R | null;
}

/** What a state in which the coin is taken owes by itself; of one that was called spent it is asked once more. */
export function takingCoinAnew<C extends CoinTaking, R>({ effect }: CoinTaker<C, R>, p: C): readonly Effect[] {
  return [effect(p, 0)];
}

/**
 * What our own transaction meets. Null: the event does not concern it: its end is that of a transaction which this
 * state knows. What is told of another coin, which a reorganisation took or brought, is nothing of this one: both would
 * be taken, or the one that can be had given up.
 */
export function whileTakingCoin<C extends CoinTaking, R>(
  taker: CoinTaker<C, R>,
  p: C,
  event: Event,
): Step<C> | R | null {
  switch (event.is) {
    case 'onchain.prepared':
    case 'onchain.stuck':
    case 'onchain.final':
    case 'onchain.refused':
      return takes(event, taker.coin(p)) ? onOurCoin(taker, p, event) : null;
    default:
      return null;
  }
}

function onOurCoin<C extends CoinTaking, R>(
  taker: CoinTaker<C, R>,
  p: C,
  event: EventOf<'onchain.prepared' | 'onchain.stuck' | 'onchain.final' | 'onchain.refused'>,
): Step<C> | R | null {
  switch (event.is) {
    case 'onchain.prepared':
      return event.purpose === taker.purpose ? prepared(taker, p, event) : null;
    case 'onchain.stuck':
      return isOurs(p, event.txid) ? takeAgain(taker, p, event.leastRate) : null;
    case 'onchain.final':
      return isOurs(p, event.txid) ? taker.taken(p, event.txid, [feePaid(event)]) : null;
    case 'onchain.refused':
      return refused(taker, p, event);
  }
}

/** A transaction that we signed for this coin. */
export function isOurs({ spends }: CoinTaking, txid: Txid | null): boolean {
  return txid !== null && spends.includes(txid);
}

function prepared<C extends CoinTaking, R>(taker: CoinTaker<C, R>, p: C, event: EventOf<'onchain.prepared'>): Step<C> {
  const { txid, funding: parent } = event;
  const spends = [...p.spends.filter((one) => one !== txid), txid];
  const next: C = { ...p, spends, ...(parent === undefined ? {} : { parent }) };
  return move<C>(next, broadcastEffect(taker.coin(p), event, taker.onlyIf?.(p)));
}

function takeAgain<C extends CoinTaking, R>({ effect }: CoinTaker<C, R>, p: C, leastRate = 0): Step<C> {
  const { halted: _, ...rest } = p;
  const next = rest as unknown as C;
  return move<C>(next, effect(next, leastRate));
}

function refused<C extends CoinTaking, R>(
  taker: CoinTaker<C, R>,
  p: C,
  { txid, why, reason }: EventOf<'onchain.refused'>,
): Step<C> | R | null {
  // Buried, and not ours: the watch reads whose it is, or that it is none.
  if (why === 'spent') return p.halted === true ? null : move<C>({ ...p, halted: true });
  if (txid !== null && !isOurs(p, txid)) return null;
  if (why === 'late' && taker.late !== undefined) return taker.late(p, reason) ?? takeAgain(taker, p);
  return { ...takeAgain(taker, p), flag: `The Bitcoin node refused our ${taker.purpose}: ${reason}.` };
}

/**
 * How its coin shows, at a tip of this height. Those who called it spent were wrong while no spend of it is buried:
 * nothing else keeps our transaction in the mempool, and raises what it pays (facts/faults.md 102). Null where there is
 * nothing to mend.
 */
export function whenCalledSpent<C extends CoinTaking, R>(
  taker: CoinTaker<C, R>,
  p: C,
  { spend }: SeenHtlcCoin,
  height: number,
): Step<C> | null {
  // By the look itself: a block that came since may be one of another branch.
  return p.halted === true && !buried(spend?.height ?? null, height) ? takeAgain(taker, p) : null;
}
