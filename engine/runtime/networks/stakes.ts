import type { Sats } from '../../domain/money.ts';

/** What a client locked, and something is given for. */
export interface Stake {
  /** The swap that it is for. */
  readonly swap: string;
  readonly amount: Sats;
}

/**
 * What clients locked and something was given for, while one event may take all of it back: together it is one amount.
 * In memory alone: a node that starts again counts from nothing. `isAtStake`: what was given in this swap may be lost
 * that way, and is not back; a client whose payments fail has its own again, and would else keep the sum full with it.
 */
export function createStakes<S extends Stake>(isAtStake: (swap: string) => boolean) {
  const all = new Map<string, S>();

  return {
    all,
    /** What one more comes to beside the others; null where it counts already. */
    sumWith(key: string, amount: Sats): bigint | null {
      for (const [other, { swap }] of all) if (!isAtStake(swap)) all.delete(other);
      if (all.has(key)) return null;
      return [...all.values()].reduce((total, one) => total + one.amount, 0n) + amount;
    },
  };
}
