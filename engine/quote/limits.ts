import { refuse, type Refusal } from '../domain/errors.ts';
import { lesser, type Sats } from '../domain/money.ts';
import type { Price } from './fees.ts';

export interface Limits {
  readonly min: Sats;
  readonly max: Sats;
}

/** The owner's limits, narrowed to what the liquidity of the leg we fund can carry now. */
export function limitsWithin(owner: Limits, liquidity: Sats): Limits {
  return { min: owner.min, max: lesser(owner.max, liquidity) };
}

export function noLiquidity(): Refusal {
  return refuse('unavailable', 'There is not enough liquidity for any swap in this direction now: try again later.');
}

/** Judges the amount that we would pay out. */
export function withinLimits(price: Price, limits: Limits): Refusal | null {
  if (limits.max < limits.min) return noLiquidity();
  if (price.target < limits.min)
    return refuse('invalid', `Min amount is ${limits.min} sats; the swap would pay out ${price.target}: ask for more.`);
  if (price.target > limits.max)
    return refuse('invalid', `Max amount is ${limits.max} sats; the swap would pay out ${price.target}: ask for less.`);
  return null;
}
