import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import { highestRate, timesSecondEstimate } from '../../../quote/ceilings.ts';
import type { FeeUrgency } from './fee-urgency.ts';

/** Sats per virtual byte. */
const relayFloor = 1;

/**
 * The fee rate that a claim or refund is to pay, in sats per virtual byte. One above `doubtAbove` is held against
 * another source's where there is one: a single liar must not send a coin to the miners (facts/faults.md 59). Once it
 * is `late` the higher word counts, for then a liar who says too little would cost more.
 */
export async function believedRate(
  bitcoin: BitcoinPort,
  how: Pick<FeeUrgency, 'within' | 'late' | 'unestimated'> & { readonly doubtAbove: number },
): Promise<number> {
  return heldAgainst(plausible(await bitcoin.feeRate(how.within), how.unestimated), bitcoin, how);
}

/** The same for a rate of which a source is the reason, whatever it was told as. */
export async function heldAgainst(
  first: number,
  bitcoin: BitcoinPort,
  how: Pick<FeeUrgency, 'within' | 'late'> & { readonly doubtAbove: number },
): Promise<number> {
  if (first <= how.doubtAbove) return first;
  const second = (await bitcoin.secondFeeRate?.(how.within)) ?? null;
  if (second === null) return first;
  return how.late ? Math.max(first, plausible(second)) : Math.min(first, timesSecondEstimate * plausible(second));
}

/**
 * Nothing below the relay floor is relayed, nothing above the highest rate is believed, and what is no number is no
 * estimate.
 */
function plausible(rate: number, otherwise?: number): number {
  if (otherwise !== undefined && !(rate > 0 && rate <= highestRate)) return otherwise;
  return Number.isFinite(rate) ? Math.min(highestRate, Math.max(relayFloor, rate)) : relayFloor;
}
