import { sats, type Sats } from '../../domain/money.ts';

/** Weight units of HTLC-success (BOLT 3), which pays no fee of its own in a channel with anchors. */
const successWeight = 706n;
/** A Taproot coin of the wallet that brings its fee, and the output for the change. */
const feeCoinWeight = 230n + 172n;
/** Weight of the transaction that claims an HTLC; four units are one virtual byte. */
export const claimWeight = successWeight + feeCoinWeight;
/** lnd pays half of an HTLC for its claim at most; and the rate of a commitment may rise while it holds one. */
export const claimShare = 2n;

/**
 * The smallest part of a held payment that is worth claiming where blocks ask for so many sats per virtual byte.
 *
 * Loses money when wrong: something given for parts that no preimage brings home, since no block takes their claims.
 */
export function leastPart(rate: number): Sats {
  return sats(claimShare * BigInt(Math.ceil((rate * Number(claimWeight)) / 4)));
}
