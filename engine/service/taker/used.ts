import type { HighWater } from '../../store/high-water.ts';
import type { Store } from '../../store/store.ts';

/**
 * Keys left out after the highest that any provider knows: a folder elsewhere may have used them at a provider that
 * nobody named here. Within the gap limit of a recovery (120), so that one elsewhere still meets what is begun here.
 */
export const leftOut = 100;

/** Leaves out every key up to one that a swap has, before anything else is done with it: no secret is ever used twice. */
export function leaveOut({ store, highWater }: { store: Store; highWater: HighWater }, index: number): void {
  if (index < store.counters.peek('taker')) return;
  const last = index + leftOut - 1;
  // A mark that is not there yet says that other providers are still to be asked before the first swap.
  if (highWater.floor() > 0) highWater.reach(last);
  store.atomically(() => store.counters.take('taker', last));
}
