import { plus, type Sats } from '../domain/money.ts';

/**
 * What was spent in a day on one network for swaps that brought no fee: by everybody, and of it by those who never paid
 * one.
 */
export interface Unpaid {
  readonly all: Sats;
  readonly strangers: Sats;
}

/** Of what all may cost together, one client's part. */
const clients = 4n;

/**
 * Whose part is used up, or null while there is room: that of everybody together, or of one of the names that a client
 * goes by. Whoever never paid a fee has half of each part: strangers cannot take the other one, however many there are
 * (facts/faults.md 67).
 */
export function usedUp(
  { all, ofClient }: { readonly all: Unpaid; readonly ofClient: readonly Unpaid[] },
  most: Sats,
  paidBefore: boolean,
): 'all' | 'client' | null {
  const isUsedUp = (spent: Unpaid, parts: bigint): boolean =>
    spent.all * parts >= most || (!paidBefore && spent.strangers * parts * 2n >= most);
  if (ofClient.some((one) => isUsedUp(one, clients))) return 'client';
  return isUsedUp(all, 1n) ? 'all' : null;
}

export function withMore({ all, strangers }: Unpaid, more: Sats, paidBefore: boolean): Unpaid {
  return { all: plus(all, more), strangers: paidBefore ? strangers : plus(strangers, more) };
}
