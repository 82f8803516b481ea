import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import { highestRate, timesSecondEstimate } from '../../../quote/ceilings.ts';

/**
 * The fee rate that a claim or refund is to pay, in sats per virtual byte. One above `doubtAbove` is held against another
 * source's where there is one: a single liar must not send a coin to the miners (facts/faults.md 59). Once it is `late` the
 * higher word counts, for then a liar who says too little would cost more.
 */
export async function believedRate(
  bitcoin: BitcoinPort,
  how: { within: number; doubtAbove: number; late: boolean },
): Promise<number> {
  const first = Math.min(highestRate, await bitcoin.feeRate(how.within));
  if (first <= how.doubtAbove) return first;
  const second = (await bitcoin.secondFeeRate?.(how.within)) ?? null;
  if (second === null) return first;
  return how.late ? Math.min(highestRate, Math.max(first, second)) : Math.min(first, timesSecondEstimate * second);
}
