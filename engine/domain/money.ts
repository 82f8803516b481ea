import type { Network } from './chain.ts';

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

export function greater<A extends bigint>(a: A, b: A): A {
  return a > b ? a : b;
}

export function lesser<A extends bigint>(a: A, b: A): A {
  return a < b ? a : b;
}

export function sumOf(coins: readonly { readonly amount: Sats }[]): Sats {
  return coins.reduce((sum, { amount }) => plus(sum, amount), noSats);
}

/** The first of the largest; null of none. */
export function largestOf<C extends { readonly amount: Sats }>(coins: readonly C[]): C | null {
  return coins.reduce<C | null>((most, coin) => (most === null || coin.amount > most.amount ? coin : most), null);
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

/** Where value is promised: on a network, or as room to receive over Lightning. */
export type Purse = Network | 'lightning-in';

/**
 * What an amount is counted in: an asset, on the network that moves it. `btc` is counted in millisatoshis, of which a
 * routing fee is made; a token of an EVM chain, named by its contract, zero for the native coin, in its smallest unit.
 */
export interface Asset<N extends string = Network> {
  readonly network: N;
  readonly asset: 'btc' | `0x${string}`;
}

/** An amount of one asset, below zero where it left us. Amounts of two assets are never added. */
export interface Money<N extends string = Network> extends Asset<N> {
  readonly amount: bigint;
}

export function btcOn<N extends string>(network: N): Asset<N> {
  return { network, asset: 'btc' };
}

/** One satoshi, in the unit of Lightning and of the ledger. */
export const msatPerSat = 1_000n;

export function msat<N extends string>(network: N, amount: bigint): Money<N> {
  return { ...btcOn(network), amount };
}

/** Whole satoshis of thousandths, rounded up. */
export function satsUp(thousandths: bigint): Sats {
  return sats((thousandths + msatPerSat - 1n) / msatPerSat);
}

/** Of whole satoshis. */
export function btc<N extends string>(network: N, amount: bigint): Money<N> {
  return msat(network, amount * msatPerSat);
}
