import { z } from 'zod';
import { largestOf, type Sats } from '../../domain/money.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Locktime } from '../../domain/time.ts';
import type { VhtlcSpend } from '../../legs/arkade/transaction.ts';
import { isDecoy } from '../../legs/decoy.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { outpoint, sats } from '../../legs/shape.ts';
import { locktimePassed } from '../../legs/timelocks.ts';
import { move, type Outcome } from '../machine.ts';

/** Why what a client locked is not taken: it is given back. */
export const stoppedFor = z.enum(['expired', 'invalid', 'late', 'wont']);
export type StoppedFor = z.infer<typeof stoppedFor>;

export const stoppedStatuses: Readonly<Record<StoppedFor, SwapStatus>> = {
  expired: 'expired',
  invalid: 'clientinvalidfunded',
  late: 'clientfundedtoolate',
  wont: 'serverwontfund',
};

/**
 * An extra deposit: a coin of a client-funded VHTLC or HTLC on the Bitcoin chain beyond the one that the swap uses.
 * Listed for the client, never claimed by us, and refundable with our signature once the swap is over (DECISIONS.md,
 * "What counts as funding"; facts/faults.md 6).
 */
export const extraCoin = z.strictObject({
  outpoint,
  amount: sats,
  spent: z.boolean(),
  /**
   * The operator calls it spent by what fits none of its leaves, or by a refund that it accepted and that nobody made
   * final: only on the chain it is to be had, should it come there.
   */
  denied: z.literal(true).exactOptional(),
  /**
   * On the Bitcoin chain, of one that other terms may be agreed to for: in a block. Until then whoever sent it may send
   * it elsewhere.
   */
  mined: z.literal(true).exactOptional(),
});
export type ExtraCoin = Readonly<z.infer<typeof extraCoin>>;

/** The coins that a swap is denied by its operator, whatever swap it is. */
export function deniedIn(progress: { readonly at: string }): readonly Outpoint[] {
  if (!('coins' in progress) || !Array.isArray(progress.coins)) return [];
  const coins = progress.coins as readonly Partial<ExtraCoin>[];
  return coins.flatMap(({ outpoint: coin, denied, spent }) =>
    coin !== undefined && denied === true && spent === false ? [coin] : [],
  );
}

/** The coins of a client whose refund was refused, and is asked for again in a moment. */
export function declinedIn(progress: { readonly at: string }): readonly Outpoint[] {
  const isDeclined = 'declined' in progress && progress.declined !== null;
  if (!isDeclined || !('coins' in progress) || !Array.isArray(progress.coins)) return [];
  const coins = progress.coins as readonly Partial<ExtraCoin>[];
  return coins.flatMap(({ outpoint: coin, spent }) => (coin !== undefined && spent === false ? [coin] : []));
}

/** By which leaf a coin is taken; null while nobody has shown that. */
export function leafOf({ spend }: SeenCoin): VhtlcSpend | null {
  return spend === 'hidden' || spend === 'unknown' ? null : spend;
}

/**
 * Coins that are kept in mind: anybody can send more, and each would stand in every commit of the swap (facts/faults.md
 * 97).
 */
const mostExtras = 50;

/**
 * The coins at the script but `used`, in a stable order: of too many the largest, and what is spent behind what is not.
 * One of the `earlier` stays listed when the operator does not show it: forgotten in a moment of lag, nobody would ever
 * sign its refund.
 */
export function coinsBeside(
  coins: readonly SeenCoin[],
  used: Outpoint | null,
  earlier: readonly ExtraCoin[],
): ExtraCoin[] {
  const all = new Map(
    earlier.map(({ outpoint, amount, spent }) => [outpointKey(outpoint), { outpoint, amount, spent }]),
  );
  for (const coin of coins) {
    const key = outpointKey(coin.outpoint);
    const { outpoint, amount } = coin;
    all.set(key, { outpoint, amount, spent: isGoneNow(coin) || (coin.spent && all.get(key)?.spent === true) });
  }
  if (used !== null) all.delete(outpointKey(used));
  const byKey = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  if (byKey.length <= mostExtras) return byKey.map(([, coin]) => coin);
  const largest = new Set(
    byKey
      .map(([, coin]) => coin)
      .sort((a, b) => Number(a.spent) - Number(b.spent) || Number(b.amount - a.amount))
      .slice(0, mostExtras),
  );
  return byKey.flatMap(([, coin]) => (largest.has(coin) ? [coin] : []));
}

/**
 * Whether somebody has the coin: by a leaf that is shown and final, or by a batch. What the operator merely calls
 * spent, or accepted and never made final, nobody has; what was gone once stays so.
 */
export function isGone(coin: SeenCoin, earlier: readonly ExtraCoin[]): boolean {
  if (isGoneNow(coin)) return true;
  return coin.spent && earlier.some(({ spent, outpoint }) => spent && sameOutpoint(outpoint, coin.outpoint));
}

function isGoneNow(coin: SeenCoin): boolean {
  if (!coin.spent) return false;
  return coin.settledBy !== null || coin.spend === 'hidden' || (leafOf(coin) !== null && coin.pending !== true);
}

export function sameExtras(a: readonly ExtraCoin[], b: readonly ExtraCoin[]): boolean {
  return sameInOrder(
    a,
    b,
    (one, other) =>
      sameOutpoint(one.outpoint, other.outpoint) &&
      one.spent === other.spent &&
      one.denied === other.denied &&
      one.mined === other.mined,
  );
}

export function sameInOrder<X>(a: readonly X[], b: readonly X[], same: (one: X, other: X) => boolean): boolean {
  return a.length === b.length && a.every((one, i) => same(one, b[i] as X));
}

export function unspentOf(extras: readonly ExtraCoin[]): ExtraCoin[] {
  return extras.filter((coin) => !coin.spent);
}

/** Of what lies there, nothing being given for it: the right one is the largest, or nothing is right. */
export function largestLeft(extras: readonly ExtraCoin[]): ExtraCoin | null {
  return largestOf(unspentOf(extras));
}

export function hasUnspent(extras: readonly ExtraCoin[]): boolean {
  return extras.some((coin) => !coin.spent);
}

/**
 * Whether one of the coins is an attempt to pay the price: dust alone never says how a swap ended (facts/faults.md
 * 307).
 */
export function hasAttempt(extras: readonly ExtraCoin[], { sourceAmount }: { readonly sourceAmount: Sats }): boolean {
  return extras.some(({ amount }) => !isDecoy(amount, sourceAmount));
}

/** Those that may be one, of a swap whose price is not agreed to: by the least that it can be (facts/faults.md 319). */
export function attemptsOf(
  extras: readonly ExtraCoin[],
  { sourceAmount, leastAmount = sourceAmount }: { readonly sourceAmount: Sats; readonly leastAmount?: Sats },
): ExtraCoin[] {
  return extras.filter(({ amount }) => !isDecoy(amount, leastAmount));
}

/** A state of a swap whose client pays to an address: `unwatched` once nobody looks there any more. */
export interface AddressState {
  readonly at: string;
  readonly extras?: readonly ExtraCoin[];
  readonly unwatched?: true;
}

/** An address may be paid late: it is watched until nothing is owed and the client can help itself. */
export function addressOpen({ at, extras = [], unwatched }: AddressState): boolean {
  switch (at) {
    case 'claimed':
    case 'lost':
    case 'refunded':
      return hasUnspent(extras) && unwatched !== true;
    case 'stopped':
    case 'returned':
      return unwatched !== true;
    default:
      return at !== 'lapsed';
  }
}

/** What of a swap its own coin is, with what it holds over the price. */
interface OwnCoin {
  readonly coin: Outpoint;
  readonly surplus: Sats;
}

/** The client's coin as one that is its own again, beside the others at the address. */
export function ownCoins(
  { sourceAmount }: { readonly sourceAmount: Sats },
  { coin, surplus, extras }: OwnCoin & { readonly extras: readonly ExtraCoin[] },
): ExtraCoin[] {
  return [{ outpoint: coin, amount: (sourceAmount + surplus) as Sats, spent: false }, ...extras];
}

export function seedOf({ coin, surplus }: OwnCoin): OwnCoin {
  return { coin, surplus };
}

/** The coin of `seed` as the swap's own once more, beside the others. */
export function resumedBy({ extras }: { readonly extras: readonly ExtraCoin[] }, { coin, surplus }: OwnCoin) {
  return { coin, surplus, extras: extras.filter(({ outpoint }) => !sameOutpoint(outpoint, coin)) };
}

/** A state in which only coins at the address are left. */
export interface CoinsLeft {
  readonly unwatched?: true;
  readonly extras: readonly ExtraCoin[];
}

/**
 * A coin that its owner never takes would be watched for ever, and dust costs a stranger next to nothing: the watch
 * ends at `until`, a day after the client can help itself.
 */
export function leftAlone<S extends CoinsLeft>(p: S, until: Locktime, { bitcoin }: Clocks): Outcome<S> {
  return hasUnspent(p.extras) && p.unwatched !== true && locktimePassed(until, bitcoin)
    ? move<S>({ ...p, unwatched: true })
    : 'stay';
}

/**
 * When time alone moves a state in which only what is the client's is left; null when it moves nothing. `isEmpty`: a
 * swap that is called off ends at `alone`, the end of its client's timelock, for nothing came that is still to be seen.
 * `isOpen`: what lies there is watched until `until`.
 */
export function leftDeadline(
  { at, unwatched }: { readonly at: string; readonly unwatched?: boolean },
  left: { readonly isEmpty: boolean; readonly isOpen: boolean; readonly alone: Locktime; readonly until: Locktime },
): Locktime | null {
  if (unwatched === true) return null;
  if (at === 'stopped' && left.isEmpty) return left.alone;
  return left.isOpen ? left.until : null;
}

/**
 * The same of coins at an address: while one is waited for, the owner's list shows `fundBefore`; the first look after
 * that ends the swap.
 */
export function coinsDeadline(
  p: AddressState,
  times: { readonly fundBefore: Locktime; readonly alone: Locktime; readonly until: Locktime },
): Locktime | null {
  switch (p.at) {
    case 'pending':
    case 'unnamed':
      return times.fundBefore;
    case 'stopped':
    case 'claimed':
    case 'lost':
    case 'refunded':
    case 'returned': {
      const { extras = [] } = p;
      return leftDeadline(p, { isEmpty: extras.length === 0, isOpen: hasUnspent(extras), ...times });
    }
    default:
      return null;
  }
}
