import { refuse, type Refusal } from '../domain/errors.ts';
import { less, noSats, plus, sats, type Sats } from '../domain/money.ts';
import type { Price, Rate } from '../quote/fees.ts';

/*
 * Prices as clients of this interface reckon them, to the satoshi: the share is rounded up, and where they name what
 * they want it is taken of all that they send.
 */

const whole = 10_000n;

/** All that does not depend on the amount. */
export function flatOf({ flat, networkFee }: Rate): Sats {
  return plus(flat, networkFee);
}

function shareUp(amount: Sats, bps: number): Sats {
  return sats((amount * BigInt(bps) + whole - 1n) / whole);
}

/** An invoice is to be paid: the fees come on top of it. */
export function priceOfInvoice(target: Sats, rate: Rate): Price {
  const fee = plus(shareUp(target, rate.bps), rate.flat);
  return { source: plus(target, plus(fee, rate.networkFee)), target, fee, networkFee: rate.networkFee };
}

/** The client says what it sends. Zero target when the fees eat it all. */
export function priceOfGiven(source: Sats, rate: Rate): Price {
  const fee = plus(shareUp(source, rate.bps), rate.flat);
  const all = plus(fee, rate.networkFee);
  return { source, target: sats(source > all ? source - all : 0n), fee, networkFee: rate.networkFee };
}

/** The largest invoice that is paid for so much; zero where the fees eat it all. */
export function invoiceFor(source: Sats, rate: Rate): Sats {
  const flat = flatOf(rate);
  if (source <= flat) return noSats;
  const most = sats(((source - flat) * whole) / (whole + BigInt(rate.bps)));
  return priceOfInvoice(most, rate).source <= source ? most : less(most, sats(1));
}

/** The client says what we lock: it sends the least of which that is left. */
export function priceOfWanted(target: Sats, rate: Rate): Price {
  const left = whole - BigInt(rate.bps);
  const source = sats(((target + flatOf(rate)) * whole + left - 1n) / left);
  return { source, target, fee: sats(source - target - rate.networkFee), networkFee: rate.networkFee };
}

/** What a rate makes of the one amount that a client names: what it gives, or what we lock. */
export function pricing(
  nameOfGiven: string,
  given: Sats | undefined,
  nameOfWish: string,
  wish: Sats | undefined,
): ((rate: Rate) => Price) | Refusal {
  if (given !== undefined && wish === undefined) return (rate) => priceOfGiven(given, rate);
  if (wish !== undefined && given === undefined) return (rate) => priceOfWanted(wish, rate);
  return refuse('invalid', `${nameOfGiven}, ${nameOfWish}: it takes one of them`);
}
