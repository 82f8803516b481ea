import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { lesser, noSats, type Sats } from '../domain/money.ts';
import { refusedHeights } from '../legs/block-pace.ts';
import { feeUp } from '../legs/onchain/size.ts';
import type { Price, Rate } from '../quote/fees.ts';
import type { Limits } from '../quote/limits.ts';
import type { Direction } from '../service/directions/direction.ts';
import { roomNow } from '../service/limits/limits.ts';
import { rateToTell } from '../service/price/rate.ts';
import type { DoorContext } from './context.ts';
import type { Pair } from './pair.ts';
import { flatOf, priceOfWanted } from './price.ts';

/** What a pair costs now, and how much of it there may be. */
export interface Offer {
  readonly rate: Rate;
  /** Of the invoice where there is one, else of what the client locks. */
  readonly minimal: Sats;
  readonly maximal: Sats;
  readonly terms: PairTerms;
}

/** A pair as clients are told it. */
export interface PairTerms {
  readonly hash: string;
  readonly rate: 1;
  readonly limits: Readonly<Record<string, number>>;
  readonly fees: { readonly percentage: number; readonly minerFees: unknown };
}

/** Virtual bytes of a claim by the key of both sides, to a short output. */
const claimSize = 111;

const nothingOnTop = { extraFeesBps: 0, referralCode: null } as const;

/** Refused while no swap of the pair could be made; `swap`: of one that is made already, and agreed on anew. */
export function offerOf({ context }: Pick<DoorContext, 'context'>, pair: Pair, swap?: string): Offer | Refusal {
  const direction = context.directions.find(pair.direction) as Direction | null;
  if (direction === null) return refuse('unavailable', 'This version of the node has no such swaps.');
  const tooFast = refusedHeights(context.config.network);
  if (tooFast !== null) return tooFast;
  const room = withinLoose(context, pair, roomNow(context, direction), swap);
  if (isRefusal(room)) return room;
  const rate = rateToTell(context, direction, nothingOnTop, null);
  if (isRefusal(rate)) return rate;
  const [minimal, maximal] = [bindingAmount(pair, room.min, rate), bindingAmount(pair, room.max, rate)];
  const terms = pairTerms(pair, {
    percentage: rate.bps / 100,
    flat: Number(flatOf(rate)),
    // On Arkade it costs nothing, and what clients are told goes on top of what they want.
    claim: pair.to === 'ARK' ? 0 : Math.max(1, Number(feeUp(claimSize, context.networks.bitcoinRate() ?? 1))),
    limits: { minimal: Number(minimal), maximal: Number(maximal) },
  });
  return { rate, minimal, maximal, terms };
}

/**
 * Where we fund a VHTLC it is a loose one, of which the owner agreed to lose so much. What is begun is not paid for
 * yet, and leaves as much to others.
 */
function withinLoose(
  { loose }: DoorContext['context'],
  { to }: Pair,
  room: Limits | Refusal,
  swap?: string,
): Limits | Refusal {
  if (to !== 'ARK' || isRefusal(room)) return room;
  if (loose === undefined) return refuse('unavailable', 'This node does not swap to Arkade here.');
  const left = loose.room(swap);
  if (isRefusal(left)) return left;
  const max = lesser(room.max, swap === undefined ? lesser(left, loose.unpaidShare(noSats)) : left);
  return max < room.min
    ? refuse('unavailable', 'The limit that the owner set for the risk of such swaps is used up.')
    : { ...room, max };
}

/** A pair that clients want to read of, and that nothing can be swapped in. */
export function shutPair(pair: Pick<Pair, 'kind'>): PairTerms {
  return pairTerms(pair, { percentage: 0, flat: 0, claim: 0, limits: { minimal: 0, maximal: 0 } });
}

/** The amount that the limits bind, of a swap that pays out so much. */
function bindingAmount({ kind }: Pair, target: Sats, rate: Rate): Sats {
  return kind === 'submarine' ? target : priceOfWanted(target, rate).source;
}

function pairTerms(
  { kind }: Pick<Pair, 'kind'>,
  of: { percentage: number; flat: number; claim: number; limits: { minimal: number; maximal: number } },
): PairTerms {
  const minerFees =
    kind === 'submarine'
      ? of.flat
      : kind === 'reverse'
        ? { claim: of.claim, lockup: of.flat }
        : { server: of.flat, user: { claim: of.claim, lockup: 0 } };
  const terms = {
    rate: 1,
    fees: { percentage: of.percentage, minerFees },
    limits: kind === 'reverse' ? of.limits : { ...of.limits, maximalZeroConf: 0 },
  } as const;
  return { hash: toHex(sha256(utf8ToBytes(JSON.stringify(terms)))), ...terms };
}

export function nameOf({ kind, from, to }: Pair): string {
  return `${kind} ${from} ${to}`;
}

/**
 * The rate of a create: of the pair that its client names by its hash, or the cheapest that was told in the time for
 * which clients believe it.
 */
export function ratesFor({ tellings }: DoorContext, pair: Pair, offer: Offer, hash: string | null): Rate[] | Refusal {
  if (hash === null) return [offer.rate, ...tellings.rates(nameOf(pair))];
  const rate = tellings.byHash(nameOf(pair), hash);
  return rate === null ? refuse('invalid', 'invalid pair hash') : [rate];
}

/** Of prices for the same the one that is best for the client. */
export function cheapest(prices: readonly Price[]): Price {
  return prices.reduce((best, one) =>
    one.source < best.source || (one.source === best.source && one.target > best.target) ? one : best,
  );
}

/** By words that clients look for. */
export function outsideOffer(amount: Sats, { minimal, maximal }: Offer): Refusal | null {
  if (amount < minimal) return refuse('invalid', `${amount} is less than minimal of ${minimal}`);
  if (amount > maximal) return refuse('invalid', `${amount} exceeds maximal of ${maximal}`);
  return null;
}

/** Whether there are such pairs at all: to Arkade there is none before the owner agreed to what it may lose. */
export function isServed({ context: { loose } }: Pick<DoorContext, 'context'>, { to }: Pair): boolean {
  return to !== 'ARK' || (loose !== undefined && loose.state().is !== 'off');
}

/** What is left of a price that the fees eat. */
export function eaten({ target }: Price): Refusal | null {
  return target === noSats ? refuse('invalid', 'The fees exceed this amount: send a larger one.') : null;
}
