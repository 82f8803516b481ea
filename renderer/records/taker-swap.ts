import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { BandTimes } from '../parts/band/geometry.ts';

/** The times of a swap as the band draws them, `age` seconds after they were told. */
export function bandTimesOf({ created, times }: TakerSwap, age: number): BandTimes | null {
  const { now, normal_until, refund_signed_from, refund_alone_from, danger_from, last } = times;
  if (now === null) return null;
  const begin = Math.min(created, now);
  return { begin, now: now + age, normal_until, refund_signed_from, refund_alone_from, danger_from, last };
}
