import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { BandTimes } from '../parts/band/geometry.ts';
import { canComeBack } from './payment.ts';

/**
 * The times of a swap as the band draws them, `age` seconds after they were told: a refund only of what can come back.
 */
export function bandTimesOf(swap: TakerSwap, age: number): BandTimes | null {
  const { now, normal_until, danger_from, last, ...refund } = swap.times;
  if (now === null) return null;
  const begin = Math.min(swap.created, now);
  const back = canComeBack(swap);
  return {
    begin,
    now: now + age,
    normal_until,
    refund_signed_from: back ? refund.refund_signed_from : null,
    refund_alone_from: back ? refund.refund_alone_from : null,
    danger_from,
    last,
  };
}
