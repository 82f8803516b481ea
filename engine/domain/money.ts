declare const sats_: unique symbol;

/** Whole satoshis, never negative. */
export type Sats = bigint & { readonly [sats_]: true };

export function sats(amount: bigint | number): Sats {
  const value = BigInt(amount);
  if (value < 0n) throw new RangeError(`an amount in satoshis cannot be negative: ${value}`);
  return value as Sats;
}

export const noSats = sats(0);

export function plus(a: Sats, b: Sats): Sats {
  return sats(a + b);
}

/** Throws when `b` is larger than `a`: a debt is never an amount. */
export function minus(a: Sats, b: Sats): Sats {
  return sats(a - b);
}

export function less(a: Sats, b: Sats): Sats {
  return a > b ? sats(a - b) : noSats;
}

export function lesser(a: Sats, b: Sats): Sats {
  return a < b ? a : b;
}

/** Basis points of an amount, rounded down. */
export function bpsDown(amount: Sats, bps: number): Sats {
  return sats((amount * BigInt(bps)) / 10_000n);
}

declare const tokenAmount_: unique symbol;

/** An amount of an EVM token in its smallest units, never negative. */
export type TokenAmount = bigint & { readonly [tokenAmount_]: true };

export function tokenAmount(amount: bigint | number): TokenAmount {
  const value = BigInt(amount);
  if (value < 0n) throw new RangeError(`an amount of a token cannot be negative: ${value}`);
  return value as TokenAmount;
}
