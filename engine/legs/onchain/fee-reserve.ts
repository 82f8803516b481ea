import type { Sats } from '../../domain/money.ts';

/**
 * What the wallet keeps for fees alone: so many coins, each of which can push something by itself, at once with the
 * others.
 */
export interface FeeReserve {
  readonly coins: number;
  readonly each: Sats;
}
