import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { refundNeedsYou } from '../../records/flight.ts';
import { isUnderWay } from '../../records/payment.ts';
import { isComingBack } from '../../records/standing.ts';

/** By what has to happen: the owner acts, it comes by itself, or it is expected to finish. */
export interface RefundGroups {
  readonly needsYou: readonly TakerSwap[];
  readonly byItself: readonly TakerSwap[];
  readonly inProgress: readonly TakerSwap[];
}

/** Of the open swaps those for which something was seen to be paid. */
export function refundGroups(swaps: readonly TakerSwap[]): RefundGroups {
  const flying = swaps.filter(isUnderWay);
  const needsYou = flying.filter(refundNeedsYou);
  const rest = flying.filter((swap) => !needsYou.includes(swap));
  return {
    needsYou: needsYou.toSorted(byDate),
    byItself: rest.filter(isReturning).toSorted(byDate),
    inProgress: rest.filter((swap) => !isReturning(swap)).toSorted(byDate),
  };
}

function isReturning(swap: TakerSwap): boolean {
  return isComingBack(swap) || swap.refund.state === 'running';
}

function byDate(a: TakerSwap, b: TakerSwap): number {
  return (a.refund.from ?? Number.MAX_SAFE_INTEGER) - (b.refund.from ?? Number.MAX_SAFE_INTEGER);
}
