import type { Sats } from '../domain/money.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../domain/outpoint.ts';
import type { SeenCoin } from './machine.ts';

/**
 * The coins of a client-funded VHTLC beyond the one that the swap uses: listed for the client, never claimed by us, and
 * refundable with our signature once the swap is over (design decision 13; faults.md 6).
 */
export interface Stray {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly spent: boolean;
}

/** Every coin at the script but `used`, in a stable order. */
export function straysBeside(coins: readonly SeenCoin[], used: Outpoint | null): Stray[] {
  return coins
    .filter((coin) => used === null || !sameOutpoint(coin.outpoint, used))
    .map(({ outpoint, amount, spent }) => ({ outpoint, amount, spent }))
    .sort((a, b) => (outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1));
}

export function sameStrays(a: readonly Stray[], b: readonly Stray[]): boolean {
  return (
    a.length === b.length &&
    a.every((stray, i) => {
      const other = b[i];
      return other !== undefined && sameOutpoint(stray.outpoint, other.outpoint) && stray.spent === other.spent;
    })
  );
}

export function owed(strays: readonly Stray[]): boolean {
  return strays.some((stray) => !stray.spent);
}
