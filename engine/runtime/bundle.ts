import type { Effect } from '../swap/machine.ts';
import { NotYet } from './not-yet.ts';
import { laneOf } from './networks/acts.ts';
import type { Entry } from './working-set.ts';

/** What is kept outside the database of each open swap, so that its money comes home without it. */
export interface BundleKeeper {
  /** The swap as it stands now. */
  track(entry: Entry): void;
  /** Resolves once what was tracked of the swap is on the disk; false where it cannot be written. */
  holds(id: string): Promise<boolean>;
}

/** A funding: one that has change is pushed by it, and of one that has none only the conditions tell. */
function funds(effect: Effect): boolean {
  if (effect.do !== 'onchain.broadcast') return false;
  const { push, onlyIf } = effect;
  return push !== undefined || (onlyIf !== undefined && onlyIf.paidOut === undefined);
}

/**
 * A bundle that lags is worth nothing: value leaves us only once it holds what brings it back. What takes our own waits
 * for nothing.
 */
export async function bundled(keeper: BundleKeeper, subject: string, effect: Effect): Promise<void> {
  if (!funds(effect) && !laneOf(effect).begins) return;
  if (!(await keeper.holds(subject))) throw new NotYet(5, 'the rescue bundle cannot be written');
}
