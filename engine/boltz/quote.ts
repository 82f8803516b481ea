import { z } from 'zod';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { greater, noSats, type Sats } from '../domain/money.ts';
import type { Price } from '../quote/fees.ts';
import type { Entry } from '../runtime/working-set.ts';
import { amend, amendable, judgedBy, lookAtLock } from '../service/refund/amend.ts';
import type { Amendment, Direction } from '../service/directions/direction.ts';
import type { DoorContext } from './context.ts';
import { read, satsField } from './fields.ts';
import { eaten, nameOf, offerOf, outsideOffer, ratesFor, type Offer } from './offer.ts';
import type { Pair } from './pair.ts';
import { priceOfGiven } from './price.ts';
import { findSwap } from './swap.ts';
import { refusedSince } from './unamended.ts';

/*
 * A chain swap whose client locked another amount than it was asked for: what we would lock for that is quoted, and
 * what it agrees to takes the place of what was agreed at the create.
 */

const body = z.looseObject({ amount: satsField });

/** GET swap/chain/{id}/quote: what is told here is good for as long as a pair is. */
export async function readQuote(door: DoorContext, id: string): Promise<{ readonly amount: number } | Refusal> {
  const quotes = await quotesOf(door, id);
  if (isRefusal(quotes)) return quotes;
  const [best] = quotes.prices.toSorted((a, b) => Number(b.target - a.target));
  if (best === undefined) return refusedSince.settled;
  const refused = eaten(best) ?? quotes.unfit(best);
  if (refused !== null) return refused;
  const { rate, terms } = quotes.offer;
  door.tellings.note(nameOf(quotes.pair), terms.hash, rate);
  return { amount: Number(best.target) };
}

/** POST swap/chain/{id}/quote: our lock is of the amount that was quoted, or the swap stays as it is. */
export async function acceptQuote(
  door: DoorContext,
  id: string,
  given: unknown,
  client: string | null,
): Promise<object | Refusal> {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const quotes = await quotesOf(door, id);
  if (isRefusal(quotes)) return quotes;
  const price = quotes.prices.find(({ target }) => target === request.amount);
  if (price === undefined) return refuse('invalid', 'invalid quote');
  const unfit = quotes.unfit(price);
  if (unfit !== null) return unfit;
  const { entry, direction, requote } = quotes;
  const refused = await amend(door.context, direction, entry, requote(price), { client, isPaid: true });
  return typeof refused === 'string' ? refusedSince[refused] : (refused ?? {});
}

interface Quotes {
  readonly entry: Entry;
  readonly direction: Direction;
  requote(price: Price): Amendment;
  readonly pair: Pair;
  readonly offer: Offer;
  /** Of the largest coins that are large enough, and not too large, at each rate that is good now. */
  readonly prices: readonly Price[];
  /** Why nothing is given at this price, by the machine that would judge it. */
  unfit(price: Price): Refusal | null;
}

/**
 * Coins that are quoted for: strangers put hundreds at a lock, and each is reckoned at every rate. Whoever wants a
 * client's own left out gives more to its lock twenty times over, and the largest is what the client is quoted.
 */
const mostQuoted = 20;

/** The largest amounts, each once. */
export function largestOf(amounts: readonly Sats[]): Sats[] {
  return [...new Set(amounts)].toSorted((a, b) => Number(b - a)).slice(0, mostQuoted);
}

/**
 * For what lies at the client's lock now: a stranger's coin there is quoted beside its client's, and displaces it not.
 */
async function quotesOf(door: DoorContext, id: string): Promise<Quotes | Refusal> {
  const { context } = door;
  const swap = findSwap(door, id, 'chain');
  if (isRefusal(swap)) return swap;
  const { entry, pair } = swap;
  const direction = context.directions.of(entry.row.machine);
  if (direction === null || direction.requote === null) return refusedSince.settled;
  const { requote: byPrice } = direction;
  const requote = (price: Price): Amendment => byPrice(context, entry.row, price);
  const unamended = amendable(context, entry);
  if (unamended !== null) return refusedSince[unamended];
  const lying = await lookAtLock(context, direction, entry.row);
  if (isRefusal(lying)) return lying;
  const offer = offerOf(door, pair, entry.row.id);
  if (isRefusal(offer)) return offer;
  const { look, amounts: locked } = lying;
  const largest = locked.reduce<Sats>((most, amount) => greater(most, amount), noSats);
  const fitting = largestOf(locked.filter((amount) => outsideOffer(amount, offer) === null));
  const outside = fitting.length === 0 ? outsideOffer(largest, offer) : null;
  const rates = outside ?? ratesFor(door, pair, offer, null);
  if (isRefusal(rates)) return rates;
  return {
    ...{ entry, pair, direction, requote, offer },
    prices: fitting.flatMap((amount) => rates.map((rate) => priceOfGiven(amount, rate))),
    unfit(price) {
      const unsafe = judgedBy(context, entry, requote(price), look);
      return unsafe === null ? null : refusedSince[unsafe];
    },
  };
}
