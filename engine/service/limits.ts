import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { lesser, sats, type Sats } from '../domain/money.ts';
import { limitsWithin, noLiquidity, type Limits } from '../quote/limits.ts';
import { leftByCaps } from './caps.ts';
import type { ServiceContext } from './context.ts';
import { notNow } from './opening.ts';

/** The directions that this build can swap. */
export const offered = ['lightning-arkade', 'arkade-lightning'] as const;
export type Offered = (typeof offered)[number];

/** The most that one new swap could pay out now, from what is there and not promised yet. */
function liquidity({ networks }: ServiceContext, direction: Offered): Sats {
  switch (direction) {
    case 'lightning-arkade':
      return lesser(networks.arkadeFree(), networks.inboundFree());
    case 'arkade-lightning':
      return networks.outboundFree();
  }
}

export function limitsOf(context: ServiceContext, direction: Offered): Limits {
  const { minSats, maxSats } = context.config.terms;
  return limitsWithin({ min: sats(minSats), max: sats(maxSats) }, liquidity(context, direction));
}

/** What stops every new swap of a direction now, whatever its amount: the 503 of its create. */
export function stopped(context: ServiceContext): Refusal | null {
  // Every direction of this build needs these three.
  return notNow(context) ?? context.networks.missing('arkade', 'lightning', 'bitcoin');
}

/** What a swap of a direction could pay out now, the owner's ceilings counted; refused when that is nothing. */
export function roomNow(context: ServiceContext, direction: Offered): Limits | Refusal {
  const refused = stopped(context);
  if (refused !== null) return refused;
  const { min, max } = limitsOf(context, direction);
  const left = leftByCaps(context, direction);
  const room = { min, max: left === null ? max : lesser(max, left) };
  if (room.max >= min) return room;
  return max < min ? noLiquidity() : refuse('unavailable', "The owner's ceiling is reached for this direction: try again later.");
}

/** The directions that a swap could take now, with their limits. */
export function swappable(context: ServiceContext): { readonly direction: Offered; readonly limits: Limits }[] {
  return offered.flatMap((direction) => {
    const limits = roomNow(context, direction);
    return isRefusal(limits) ? [] : [{ direction, limits }];
  });
}
