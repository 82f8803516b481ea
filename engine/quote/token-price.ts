import { less, noSats, plus, sats, tokenAmount, type Sats, type TokenAmount } from '../domain/money.ts';
import { feeDown, type Rate } from './fees.ts';

const satsDecimals = 8;

/** The worth of a BTC-pegged token in sats, rounded down: what a sat does not hold is nobody's. */
export function satsOfUnitsDown(units: bigint, decimals: number): Sats {
  return sats((units * 10n ** BigInt(satsDecimals)) / 10n ** BigInt(decimals));
}

/** Sats in a BTC-pegged token, exact: one with fewer decimals than bitcoin is refused where chains are read. */
export function unitsOfSats(amount: Sats, decimals: number): TokenAmount {
  if (decimals < satsDecimals) throw new RangeError(`a token of ${decimals} decimals cannot hold sats`);
  return tokenAmount(amount * 10n ** BigInt(decimals - satsDecimals));
}

/** The same worth in three units, before any fee. */
export interface Worth {
  readonly sats: Sats;
  /** Of the client's token, what a bridge takes of it left out. */
  readonly token: TokenAmount;
  /** Of the BTC-pegged token that the exchange goes through. */
  readonly pegged: TokenAmount;
  /** What a bridge takes, in the smallest units of the client's token. */
  readonly bridgeFee: TokenAmount;
}

/** A swap between bitcoin and a token: what it costs, what moves, and what its HTLC holds. */
export interface TokenPrice {
  readonly worth: Worth;
  readonly fee: Sats;
  readonly networkFee: Sats;
  /** What the client really sends and receives: sats on the side of bitcoin, smallest units on that of the token. */
  readonly sats: Sats;
  readonly token: TokenAmount;
  /** What the HTLC holds of the BTC-pegged token. */
  readonly locked: TokenAmount;
}

export type PinnedSide = 'source' | 'target';

function feesOf(worth: Worth, rate: Rate): { fee: Sats; networkFee: Sats; all: Sats } {
  const fee = feeDown(worth.sats, rate);
  return { fee, networkFee: rate.networkFee, all: plus(fee, rate.networkFee) };
}

/**
 * From bitcoin to a token, rounded as published clients compose it (facts/clients.md 39): the create moves what they
 * showed. Source pinned, the fees come out of what is exchanged; target pinned, on top of it. Zero where they eat it
 * all.
 */
export function priceToToken(pinned: PinnedSide, worth: Worth, decimals: number, rate: Rate): TokenPrice {
  const { fee, networkFee, all } = feesOf(worth, rate);
  if (pinned === 'target')
    return { worth, fee, networkFee, sats: plus(worth.sats, all), token: worth.token, locked: worth.pegged };
  const left = less(worth.sats, all);
  const delivered = worth.sats === 0n ? 0n : (left * (worth.token + worth.bridgeFee)) / worth.sats;
  const token = tokenAmount(delivered > worth.bridgeFee ? delivered - worth.bridgeFee : 0n);
  return { worth, fee, networkFee, sats: worth.sats, token, locked: unitsOfSats(left, decimals) };
}

/**
 * From a token to bitcoin, rounded likewise. The HTLC holds what the token is worth, fees included: they are kept back
 * from the payout, not from the lock.
 */
export function priceFromToken(pinned: PinnedSide, worth: Worth, decimals: number, rate: Rate): TokenPrice {
  const { fee, networkFee, all } = feesOf(worth, rate);
  if (pinned === 'source') {
    const locked = unitsOfSats(worth.sats, decimals);
    return { worth, fee, networkFee, sats: less(worth.sats, all), token: worth.token, locked };
  }
  const gross = plus(worth.sats, all);
  const token = tokenAmount(worth.sats === noSats ? 0n : (gross * worth.token) / worth.sats);
  return { worth, fee, networkFee, sats: worth.sats, token, locked: unitsOfSats(gross, decimals) };
}

/** The bare market rate, fees not in it: one between networks of bitcoin, also by a token that is pegged to it. */
export const rateBetweenBitcoins = '1';
const rateDigits = 12;

/** Whole tokens for one bitcoin, whichever way the swap goes: up to 12 decimals, cut off, no zeros at the end. */
export function exchangeRate({ sats: bitcoin, token, bridgeFee }: Worth, tokenDecimals: number): string {
  if (bitcoin === 0n) return '0';
  const scale = 10n ** BigInt(rateDigits);
  const scaled = ((token + bridgeFee) * 10n ** BigInt(satsDecimals) * scale) / (bitcoin * 10n ** BigInt(tokenDecimals));
  const fraction = (scaled % scale).toString().padStart(rateDigits, '0').replace(/0+$/, '');
  return fraction === '' ? `${scaled / scale}` : `${scaled / scale}.${fraction}`;
}
