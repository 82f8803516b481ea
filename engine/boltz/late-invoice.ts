import { z } from 'zod';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { sameBytes } from '../domain/hash.ts';
import { bpsDown, greater, noSats, plus, type Sats } from '../domain/money.ts';
import type { Price, Rate } from '../quote/fees.ts';
import { amend, amendable } from '../service/refund/amend.ts';
import { needsMore, notPayableNow } from '../service/create/payout.ts';
import type { ExtraCoin } from '../swap/halves/extra-coins.ts';
import type { DoorContext } from './context.ts';
import { invoiceField, read } from './fields.ts';
import { cheapest, offerOf, outsideOffer, ratesFor } from './offer.ts';
import { invoiceFor, priceOfInvoice } from './price.ts';
import { sidesOf } from './sides.ts';
import { expected } from './submarine.ts';
import { findSwap, type DoorSwap } from './swap.ts';
import { refusedSince } from './unamended.ts';

/*
 * A submarine swap that was made for a hash alone: its invoice is named once, for what its client locked, or will.
 */

const refusals = { ...refusedSince, settled: refuse('forbidden', 'the swap takes no invoice any more') };

const body = z.looseObject({ invoice: invoiceField, pairHash: z.string().max(100).optional() });

/** GET swap/submarine/{id}/invoice/amount: the invoice that what was locked pays for. */
export function readInvoiceAmount(door: DoorContext, id: string): { readonly invoiceAmount: number } | Refusal {
  const swap = unnamed(door, id);
  if (isRefusal(swap)) return swap;
  const locked = lockedIn(swap);
  if (locked.length === 0) return refuse('forbidden', 'no coins were locked up yet');
  const offer = offerOf(door, swap.pair);
  const rates = isRefusal(offer) ? offer : ratesFor(door, swap.pair, offer, null);
  return isRefusal(rates) ? rates : { invoiceAmount: Number(mostFor(locked, rates)) };
}

/** POST swap/submarine/{id}/invoice. No await between the first look and the commit. */
export async function nameInvoice(
  door: DoorContext,
  id: string,
  given: unknown,
  client: string | null,
): Promise<object | Refusal> {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const swap = unnamed(door, id);
  if (isRefusal(swap)) return swap;
  const { context } = door;
  const { row } = swap.entry;
  const invoice = context.decodeInvoice(request.invoice.bolt11);
  if (isRefusal(invoice)) return invoice;
  if (!sameBytes(invoice.hash, sidesOf(swap).hash))
    return refuse('invalid', 'invoice: it has another hash than the swap');
  const price = priceFor(door, swap, request.invoice.amount, request.pairHash ?? null);
  if (isRefusal(price)) return price;
  const direction = context.directions.of(row.machine);
  if (direction === null || direction.nameInvoice === null) return refusals.settled;
  const amendment = direction.nameInvoice(context, row, { invoice, price });
  const terms = row.terms as { readonly finalCltv: number };
  const unfit = needsMore(invoice, terms) ?? notPayableNow(context, invoice, price, amendment.waits);
  if (unfit !== null) return unfit;
  const refused = await amend(context, direction, swap.entry, amendment, { client, isPaid: isPaid(swap, price) });
  if (refused !== null) return typeof refused === 'string' ? refusals[refused] : refused;
  const amended = findSwap(door, id, 'submarine');
  const source = isRefusal(amended) ? null : sidesOf(amended).source;
  return source === null ? {} : expected(source);
}

function unnamed(door: DoorContext, id: string): DoorSwap | Refusal {
  const swap = findSwap(door, id, 'submarine');
  if (isRefusal(swap)) return swap;
  if (sidesOf(swap).bolt11 !== null) return refuse('forbidden', `swap ${id} has an invoice already`);
  const unamended = amendable(door.context, swap.entry);
  return unamended === null ? swap : refusals[unamended];
}

/** What lies at its client's lock. */
function lockedIn(swap: DoorSwap): ExtraCoin[] {
  return sidesOf(swap).besides.filter(({ spent }) => !spent);
}

/**
 * Whether what was locked pays this price already. In no block it does not: replaced before it is in one, the same coin
 * would pay for one invoice after the other (facts/faults.md 240).
 */
function isPaid(swap: DoorSwap, price: Price): boolean {
  const isOnArkade = sidesOf(swap).source?.on === 'ARK';
  return lockedIn(swap).some((coin) => (isOnArkade || coin.mined === true) && pays(swap, coin, price));
}

function pays({ entry: { row } }: DoorSwap, { amount }: ExtraCoin, { source }: Price): boolean {
  const { toleranceBps } = row.terms as { readonly toleranceBps: number };
  return source <= amount && amount <= plus(source, bpsDown(source, toleranceBps));
}

function mostFor(locked: readonly ExtraCoin[], rates: readonly Rate[]): Sats {
  const largest = locked.reduce<Sats>((most, { amount }) => greater(most, amount), noSats);
  return rates.reduce<Sats>((most, rate) => greater(most, invoiceFor(largest, rate)), noSats);
}

/**
 * Of an invoice that something which was locked pays for, by the pair's terms, so that a stranger's coin beside it says
 * nothing; the cheapest where nothing was locked yet.
 */
function priceFor(door: DoorContext, swap: DoorSwap, amount: Sats, pairHash: string | null): Price | Refusal {
  const offer = offerOf(door, swap.pair);
  if (isRefusal(offer)) return offer;
  const rates = outsideOffer(amount, offer) ?? ratesFor(door, swap.pair, offer, pairHash);
  if (isRefusal(rates)) return rates;
  const prices = rates.map((rate) => priceOfInvoice(amount, rate));
  const locked = lockedIn(swap);
  if (locked.length === 0) return cheapest(prices);
  const fits = prices.find((price) => locked.some((coin) => pays(swap, coin, price)));
  if (fits !== undefined) return fits;
  const most = mostFor(locked, rates);
  return amount > most
    ? refuse('invalid', `invoice amount exceeds the maximal of ${most}`)
    : refuse('invalid', `invoice amount is below ${most}, the amount that the lockup pays for`);
}
