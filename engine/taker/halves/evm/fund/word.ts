import type { SwapStatus } from '../../../../domain/status.ts';
import type { Outcome } from '../../../../swap/machine.ts';
import { payerIsOut } from '../../../words.ts';
import { withWord } from '../../fund.ts';
import type { Base } from './terms.ts';

/**
 * Once its provider ended it, what it was to pay may be paid otherwise since, and whatever is signed then is a second
 * payment: no later word makes it pending again (facts/faults.md 270, 277), nor takes the place of the one that ended
 * it, unless the chain shows that it is paid. A lock by a signature that was given is looked for all the same.
 */
export function withLastWord<P extends Base>(p: P, status: SwapStatus): Outcome<P> {
  const isRevived = p.made === null && payerIsOut.has(p.said) && !payerIsOut.has(status);
  return status === 'pending' || isRevived ? 'stay' : withWord(p, status);
}
