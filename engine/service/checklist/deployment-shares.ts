import { sats, type Sats } from '../../domain/money.ts';
import { bitcoinCoin } from '../../quote/coin-price.ts';

/** What a set of contracts may cost, in wei, and what it is signed for. */
export interface Spending {
  /** Most wei for all of them, as their owner saw it. */
  readonly shown: bigint;
  /** Units of gas of each. */
  readonly gas: readonly bigint[];
  /** Wei for a unit of gas: with room for raises, and as it is now. */
  readonly prices: readonly [roomy: bigint, now: bigint];
}

/** So many whole steps of what a ceiling is kept in as the gas costs, rounded up: one of none signs nothing. */
export function stepsOf(gas: bigint, price: bigint): bigint {
  return (gas * price + bitcoinCoin.wei - 1n) / bitcoinCoin.wei;
}

/**
 * Most that each contract may cost, together never above what was shown; null where that does not pay for all of them
 * at the price of now.
 */
export function sharesOf({ shown, gas, prices }: Spending): Sats[] | null {
  const total = shown / bitcoinCoin.wei;
  const units = sum(gas);
  for (const price of prices) {
    const needs = gas.map((one) => stepsOf(one, price));
    const rest = total - sum(needs);
    if (rest >= 0n) return needs.map((need, at) => sats(need + (units === 0n ? 0n : (rest * (gas[at] ?? 0n)) / units)));
  }
  return null;
}

function sum(all: readonly bigint[]): bigint {
  return all.reduce((one, other) => one + other, 0n);
}
