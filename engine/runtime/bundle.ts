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

/**
 * A bundle that lags is worth nothing: value leaves us only once it holds what brings it back. What takes our own waits
 * for nothing.
 */
export async function bundled(keeper: BundleKeeper, subject: string, effect: Effect): Promise<void> {
  const sends = effect.do === 'onchain.broadcast' && effect.push !== undefined;
  if (!sends && !laneOf(effect).begins) return;
  if (!(await keeper.holds(subject))) throw new NotYet(5, 'the rescue bundle cannot be written');
}
