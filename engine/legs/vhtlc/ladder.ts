import type { Seconds } from '../../domain/time.ts';
import { hour, seconds } from '../../domain/time.ts';

export interface VhtlcDelays {
  readonly claimDelay: Seconds;
  readonly refundDelay: Seconds;
  readonly refundWithoutReceiverDelay: Seconds;
}

/** BIP-68 time locks count in units of 512 seconds. */
const unit = 512;

/** Added to the last delay so that median time past, which trails, cannot open leaf 6 before leaf 3. */
export const ladderMargin = seconds(2 * hour);

/** The next multiple of 512 seconds that is not smaller, and at least one unit. */
export function ceil512(span: number): Seconds {
  return seconds(Math.max(1, Math.ceil(span / unit)) * unit);
}

/**
 * The exit delays of a swap (design decision 22). The last one outlives the whole swap: leaf 6 has no locktime, so a
 * sender who unrolled the coin right after funding could otherwise leave by it before the refund locktime, while we
 * still count on claiming (arkade.md 2.8 item 3).
 *
 * `leg` is the span from the end of the funding window to the refund locktime.
 */
export function vhtlcDelays(ladder: {
  readonly exitDelay: Seconds;
  readonly fundingWindow: Seconds;
  readonly leg: Seconds;
  readonly margin?: Seconds;
}): VhtlcDelays {
  const step = ceil512(ladder.exitDelay);
  const whole = ceil512(ladder.fundingWindow + ladder.leg + (ladder.margin ?? ladderMargin));
  return {
    claimDelay: step,
    refundDelay: seconds(2 * step),
    refundWithoutReceiverDelay: seconds(Math.max(3 * step, whole)),
  };
}
