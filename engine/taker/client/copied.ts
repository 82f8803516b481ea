import { move, type SwapOutcome } from '../../swap/machine.ts';
import { isAgreed, type Agreed, type Pair, type State } from './pair.ts';

/*
 * A swap in a database that is a copy from before what it may have done since (facts/faults.md 230): that nothing was
 * given is what the copy says, and no clock makes that true.
 */

/** The first state once there is a deal; an order that a copy brought may have come further than that. */
export function begun({ fund }: Pair, first: Agreed, isCopied: boolean): State {
  return isCopied ? { ...first, ...fund.copied?.(first) } : first;
}

/** Of a copy no more is believed than what the networks show. */
export function copied({ fund }: Pair, p: State): SwapOutcome<State> {
  if (p.at === 'creating') return p.copied === true ? 'stay' : move<State>({ ...p, copied: true });
  if (!isAgreed(p) || p.at === 'claiming') return 'stay';
  const next = fund.copied?.(p) ?? null;
  return next === null ? 'stay' : move<State>({ ...p, ...next });
}
