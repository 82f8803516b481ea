import type { EffectRow } from '../store/effects.ts';
import { laneOf } from './networks/acts.ts';

/** The name of a queue: the effects of one leg of one swap are done in their order, and wait for no other's. */
export function queueOf({ subject, leg }: Pick<EffectRow, 'subject' | 'leg'>): string {
  return `${leg} ${subject}`;
}

export interface Item {
  readonly row: EffectRow;
  /** By `performance.now()`: how the machine's clock is set shall not matter. */
  readonly notBefore: number;
}

/**
 * What waits stays the first of its queue, and lets one by that only keeps something alive; such a one goes to the end
 * itself.
 */
export function putBack(queue: Item[], item: Item): void {
  if (keeps(item)) {
    queue.push(item);
    return;
  }
  const keeper = queue.findIndex(keeps);
  queue.unshift(...queue.splice(keeper, keeper < 0 ? 0 : 1), item);
}

function keeps({ row }: Item): boolean {
  return laneOf(row.effect).keeps === true;
}
