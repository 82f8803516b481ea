import { beginningPast, sameBeginning } from '../../domain/key-index.ts';
import type { HighWater } from '../../store/high-water.ts';
import type { Position } from '../../store/position.ts';
import type { Store } from '../../store/store.ts';

interface Keys {
  readonly store: Store;
  readonly highWater: HighWater;
}

/** The counter of own swaps, and that of keys that were seen used elsewhere. */
const own = 'taker';
const seen = 'taker-seen';

/**
 * A key of ours that a record of a provider's shows: it was used, whoever used it. Where the marks say how far this
 * folder has come, a key beyond that was used by another one, and its like are left out at once; where they do not,
 * before the first swap.
 */
export function leaveOut(keys: Keys, index: number): 'ours' | 'of another' {
  const { store, highWater } = keys;
  if (index >= store.counters.peek(seen)) store.atomically(() => store.counters.take(seen, index));
  if (!highWater.known() || index < nextOwn(keys)) return 'ours';
  goOnPast(keys, index);
  return 'of another';
}

/** The first key that this folder did not come to. */
export function nextOwn({ store, highWater }: Keys): number {
  return Math.max(store.counters.peek(own), highWater.floor());
}

/**
 * A folder that is older than what happened may have used more keys than it knows: what it comes to next is far from
 * all of them. Before anything else of it is saved.
 */
export function leaveForgotten(keys: Keys, shown: number | null): void {
  const next = nextOwn(keys);
  // Without a mark the first swap leaves them out.
  if (!keys.highWater.known()) return void (shown === null || leaveOut(keys, shown));
  goOnPast(keys, Math.max(next - 1, shown ?? 0, 0));
}

/**
 * What marks of other folders with these words show, for a database that no swap of one's own was made with: that may
 * stand where another one was lost, and the mark beside it may be as old as the copy that it came from. A database that
 * was used gives back the marks of those that have come by the keys that are next here, and goes on elsewhere
 * (facts/faults.md 110).
 */
export function leaveOthers(keys: Keys, marks: readonly Position[]): readonly Position[] {
  const used = marks.filter(({ taker }) => taker > 0);
  if (keys.highWater.known() && keys.store.counters.peek(own) > 0) {
    const next = nextOwn(keys);
    const here = used.filter(({ taker }) => taker > next && sameBeginning(taker - 1, next));
    for (const { taker } of here) leaveOut(keys, taker - 1);
    return here;
  }
  for (const { taker } of used) leaveOut(keys, taker - 1);
  return [];
}

function goOnPast({ store, highWater }: Keys, index: number): void {
  const beginning = beginningPast(index);
  highWater.reach(beginning - 1);
  store.atomically(() => store.counters.take(own, beginning - 1));
}

/** The highest key that is known to be used, by this database or by what providers showed of it; null for none. */
export function highestSeen({ store }: Pick<Keys, 'store'>): number | null {
  const next = Math.max(store.counters.peek(own), store.counters.peek(seen));
  return next === 0 ? null : next - 1;
}
