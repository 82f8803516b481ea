import { lesser, sats, type Sats } from '../domain/money.ts';
import { limitsWithin, type Limits } from '../quote/limits.ts';
import type { ServiceContext } from './context.ts';

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

/** Every direction of this build needs these three. */
export function canSwap(context: ServiceContext): boolean {
  return context.runtime.guard.paused() === null && context.networks.closed('arkade', 'lightning', 'bitcoin') === null;
}
