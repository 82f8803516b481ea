import { minute, seconds, unix, type Unix } from '../domain/time.ts';

/** What one pegged token and one bitcoin cost at a moment, in the same unit. */
export interface PegReading {
  readonly pegged: number;
  readonly bitcoin: number;
  readonly at: Unix;
}

/**
 * What is known of a peg. `beyondSince` and `withinSince`: the first of the readings without a gap that are beyond the
 * bound, or within half of it; null while the last one is not.
 */
export type PegMemory =
  | { readonly is: 'unread' }
  | { readonly is: 'open'; readonly last: PegReading; readonly beyondSince: Unix | null }
  | { readonly is: 'stopped'; readonly last: PegReading; readonly withinSince: Unix | null };

export const noPeg: PegMemory = { is: 'unread' };

/** Beyond the bound for so long stops new swaps: one trade, or one bad reading, does not. */
const stopsAfter = seconds(10 * minute);
/** Within half of the bound for so long lets them go on: a peg that is being lost comes back now and then. */
const resumesAfter = seconds(30 * minute);
/** A reading that is older says nothing any more. */
const oldestPeg = seconds(10 * minute);

/** How far the token is from a bitcoin, in basis points, either way. */
export function apartBps({ pegged, bitcoin }: PegReading): number {
  return Math.abs(pegged / bitcoin - 1) * 10_000;
}

/** A token that had lost its peg when this process began: what came after is not known. */
export function lostBefore(last: PegReading): PegMemory {
  return { is: 'stopped', last, withinSince: null };
}

/**
 * What is known after one more reading. The first one decides by itself: before it nothing was begun. Where the clock
 * was set back, what lasted goes on to have lasted (facts/faults.md 105).
 */
export function rememberPeg(memory: PegMemory, reading: PegReading, boundBps: number): PegMemory {
  const apart = apartBps(reading);
  const isBeyond = !(apart <= boundBps);
  if (memory.is === 'unread')
    return isBeyond
      ? { is: 'stopped', last: reading, withinSince: null }
      : { is: 'open', last: reading, beyondSince: null };
  const isGap = reading.at - memory.last.at > oldestPeg;
  const setBack = Math.max(0, memory.last.at - reading.at);
  const onNow = (since: Unix | null): Unix => (since === null ? reading.at : unix(since - setBack));
  if (memory.is === 'open') {
    if (!isBeyond) return { is: 'open', last: reading, beyondSince: null };
    const since = onNow(memory.beyondSince);
    return reading.at - since >= stopsAfter
      ? { is: 'stopped', last: reading, withinSince: null }
      : { is: 'open', last: reading, beyondSince: since };
  }
  if (!(apart <= boundBps / 2)) return { is: 'stopped', last: reading, withinSince: null };
  const since = isGap ? reading.at : onNow(memory.withinSince);
  return reading.at - since >= resumesAfter
    ? { is: 'open', last: reading, beyondSince: null }
    : { is: 'stopped', last: reading, withinSince: since };
}

/** Why nothing new is begun over the token now: `apart` from a bitcoin, or `silent` where nobody said what it costs. */
export function pegStops(memory: PegMemory, now: Unix): 'apart' | 'silent' | null {
  // One of a time that is still to come is as old as the clock was set back, and nobody knows by how much.
  if (memory.is === 'unread' || Math.abs(now - memory.last.at) > oldestPeg) return 'silent';
  return memory.is === 'stopped' ? 'apart' : null;
}
