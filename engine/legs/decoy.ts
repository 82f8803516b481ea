import type { Sats } from '../domain/money.ts';

/**
 * A coin of less than one part in this many is no attempt to pay the amount: dust by which a stranger could end the
 * swap, or name its end (facts/faults.md 7, 307).
 */
const decoyShare = 2n;

/** Whether a coin is no attempt to pay the price, both in sats (DECISIONS.md, "What counts as funding"). */
export function isDecoy(amount: Sats, price: Sats): boolean {
  return amount * decoyShare < price;
}
