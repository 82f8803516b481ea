import type { Unix } from '../../../domain/time.ts';
import type { BitcoinPort, BlockRate } from '../../../legs/onchain/port.ts';
import { ifKnown } from '../if-known.ts';
import { believedRate, heldAgainst } from './fee-rate.ts';
import { urgencyOf, urgencyWithin, type FeeUrgency } from './fee-urgency.ts';
import { dayOfBlocks, leftOut, patientRate } from './patient-rate.ts';

/** What a transaction is to pay now. */
interface Aim {
  /** Sats per virtual byte. */
  readonly rate: number;
  /** What the rate goes by, for the journal. */
  readonly by: string;
  readonly urgency: FeeUrgency;
}

interface Question {
  readonly deadline: Unix | undefined;
  /** Median time past, as far as the chain has come by any reading of it. */
  readonly now: number;
  /** A rate above this is held against a second source's. */
  readonly doubtAbove: number;
  /** Without a deadline it may be late all the same. */
  readonly late?: boolean;
  /** What it pays already, and since which height, once it is out. */
  readonly waiting?: { readonly rate: number; readonly since: number };
  /** Blocks within which its owner wants it mined, without a deadline. */
  readonly within?: number | undefined;
}

/**
 * What a claim or refund is to pay, in sats per virtual byte. With a deadline it goes by what the last day's blocks
 * asked (`patient-rate.ts`) and waits for the one that takes it; in the last two hours the estimate counts beside them,
 * and the higher one is paid. Estimates count alone (`fee-urgency.ts`) where nobody can tell what blocks asked, or
 * where what is told cannot be.
 */
export async function wantedRate(
  bitcoin: BitcoinPort,
  { deadline, now, doubtAbove, late, waiting, within }: Question,
): Promise<Aim> {
  const urgency = deadline === undefined && within !== undefined ? urgencyWithin(within) : urgencyOf(deadline, now);
  const blocks = deadline === undefined ? [] : await blocksOfDay(bitcoin);
  const believed = waiting === undefined || !leftOut(blocks, waiting);
  const patient = deadline === undefined || !believed ? null : patientRate(blocks, deadline - now);
  const by = `what ${blocks.length} blocks asked`;
  if (patient !== null && !urgency.late) {
    const rate = await heldAgainst(patient, bitcoin, { within: urgency.within, doubtAbove, late: false });
    return { rate, by, urgency: { ...urgency, patience: untilItIsLate } };
  }
  const estimate = await believedRate(bitcoin, {
    ...urgency,
    doubtAbove,
    late: late ?? urgency.late,
    waiting,
    ...(patient === null ? {} : { unestimated: patient }),
  });
  if (patient === null) return { rate: estimate, by: `the estimate for ${urgency.within} blocks`, urgency };
  return { rate: Math.max(patient, estimate), by: `${by}, and the estimate`, urgency };
}

/** Patience without end: the bid is raised by the clock, not by a count of blocks. */
const untilItIsLate: FeeUrgency['patience'] = { blocks: Number.POSITIVE_INFINITY, seconds: Number.POSITIVE_INFINITY };

/**
 * What the chain asks now of a claim that has until `deadline`, in sats per virtual byte, whatever cheaper block it
 * could wait for: where nobody gives an estimate to believe, what the last day's blocks asked.
 */
export async function rateNow(bitcoin: BitcoinPort, deadline: Unix, now: Unix): Promise<number> {
  const { within, late } = urgencyOf(deadline, now);
  const unestimated = patientRate(await blocksOfDay(bitcoin), deadline - now);
  return believedRate(bitcoin, { within, late, doubtAbove: 0, ...(unestimated === null ? {} : { unestimated }) });
}

/** The last day's blocks; empty where no source lists them. */
async function blocksOfDay(bitcoin: BitcoinPort): Promise<readonly BlockRate[]> {
  return (await ifKnown(async () => (await bitcoin.blockRates?.(dayOfBlocks)) ?? [])) ?? [];
}
