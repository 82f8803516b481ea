import { lesser, noSats, plus, type Sats } from '../domain/money.ts';

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

/**
 * Whether a client may hold no more of everybody's part by swaps that it has not paid for. The first one may take what
 * is left; with each further one they hold at most half of what there was without them, so that a stranger leaves as
 * much as it holds to everybody else (facts/faults.md 215).
 */
export function holdsHalf(
  { held, more, all }: { readonly held: Sats; readonly more: Sats; readonly all: Unpaid },
  most: Sats,
  paidBefore: boolean,
): boolean {
  // Twice what nobody holds: the strangers' half is a whole number then.
  const ofAll = 2n * (most - all.all);
  const left = paidBefore ? ofAll : lesser(ofAll, most - 2n * all.strangers);
  return held > noSats && 4n * (held + more) > left + 2n * held;
}

/** What was counted once may cost so many times as much when it is signed: gas rises from one block to the next. */
const rise = 2n;

/** Whether something costs far more than what was counted for it: then it finds room for itself, or is not made. */
export function isFarDearer(cost: Sats, counted: Sats): boolean {
  return cost > rise * counted;
}

export function both(one: Unpaid, other: Unpaid): Unpaid {
  return { all: plus(one.all, other.all), strangers: plus(one.strangers, other.strangers) };
}

export function withMore({ all, strangers }: Unpaid, more: Sats, paidBefore: boolean): Unpaid {
  return { all: plus(all, more), strangers: paidBefore ? strangers : plus(strangers, more) };
}
