import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import { highestRate, timesSecondEstimate } from '../../../quote/ceilings.ts';
import { ifKnown } from '../if-known.ts';
import type { FeeUrgency } from './fee-urgency.ts';
import { dayOfBlocks, leftOut, ratesOfDay, type Waiting } from './patient-rate.ts';

/** Sats per virtual byte. */
const relayFloor = 1;

interface Doubt extends Pick<FeeUrgency, 'within' | 'late'> {
  readonly doubtAbove: number;
  /** What is out already: blocks that left it out, and are said to have asked less, bound nothing. */
  readonly waiting?: Waiting | undefined;
}

/**
 * The fee rate that a claim or refund is to pay, in sats per virtual byte. One above `doubtAbove` is held against
 * another source's; where there is none it stays within what the last day's blocks asked: a single liar must not send a
 * coin to the miners (facts/faults.md 59). Once it is `late` the higher word counts, for then a liar who says too
 * little would cost more.
 */
export async function believedRate(
  bitcoin: BitcoinPort,
  how: Doubt & Pick<FeeUrgency, 'unestimated'>,
): Promise<number> {
  return heldAgainst(plausible(await bitcoin.feeRate(how.within), how.unestimated), bitcoin, how);
}

/** The same for a rate of which a source is the reason, whatever it was told as. */
export async function heldAgainst(first: number, bitcoin: BitcoinPort, how: Doubt): Promise<number> {
  if (first <= how.doubtAbove) return first;
  const second = (await bitcoin.secondFeeRate?.(how.within)) ?? null;
  if (second === null) return how.late ? first : withinBlocks(first, bitcoin, how);
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

/** No lower than the cheapest of the last day's blocks asked, and no higher than the dearest of them. */
async function withinBlocks(rate: number, bitcoin: BitcoinPort, { waiting }: Doubt): Promise<number> {
  const blocks = (await ifKnown(async () => (await bitcoin.blockRates?.(dayOfBlocks)) ?? [])) ?? [];
  const day = waiting !== undefined && leftOut(blocks, waiting) ? null : ratesOfDay(blocks);
  const [cheapest, dearest] = [day?.at(0), day?.at(-1)];
  return cheapest === undefined || dearest === undefined
    ? rate
    : plausible(Math.min(dearest, Math.max(cheapest, rate)));
}
