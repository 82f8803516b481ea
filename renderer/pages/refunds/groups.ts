import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { isComingBack } from '../../records/standing.ts';

/** By what has to happen: the owner acts, it comes by itself, or it is expected to finish. */
export interface RefundGroups {
  readonly needsYou: readonly TakerSwap[];
  readonly byItself: readonly TakerSwap[];
  readonly inProgress: readonly TakerSwap[];
}

const paid: ReadonlySet<TakerSwap['phase']> = new Set(['wait', 'claim', 'refund']);

/** Of the open swaps those for which something was paid. */
export function refundGroups(swaps: readonly TakerSwap[]): RefundGroups {
  const flying = swaps.filter(({ open, phase }) => open && paid.has(phase));
  const needsYou = flying.filter(needsOwner);
  const rest = flying.filter((swap) => !needsYou.includes(swap));
  return {
    needsYou: needsYou.toSorted(byDate),
    byItself: rest.filter(isReturning).toSorted(byDate),
    inProgress: rest.filter((swap) => !isReturning(swap)).toSorted(byDate),
  };
}

function needsOwner({ attention, refund, phase }: TakerSwap): boolean {
  return (attention === 'needs-you' || attention === 'danger') && (refund.state === 'possible' || phase === 'refund');
}

function isReturning(swap: TakerSwap): boolean {
  return isComingBack(swap) || swap.refund.state === 'running';
}

function byDate(a: TakerSwap, b: TakerSwap): number {
  return (a.refund.from ?? Number.MAX_SAFE_INTEGER) - (b.refund.from ?? Number.MAX_SAFE_INTEGER);
}
