import type { Clocks } from '../../domain/time.ts';
import { latestOn, type SpanClock } from '../spans.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';

/*
 * The last look before every irreversible act (DECISIONS.md, "The last look is pure"). Evaluated at the act, never once
 * at creation, and unsafe whenever something is not known. Timelocks are judged by the chain's clock alone: a wall
 * clock that is wrong makes nothing safe (facts/faults.md 45).
 */

/** `wait`: a reading or time heals it. `never`: time only makes it worse. */
export interface Unsafe {
  readonly unsafe: 'wait' | 'never';
  readonly sentence: string;
}

/** Null is safe. */
export type Safety = Unsafe | null;

/** Before the first reading nothing can be judged. */
export const unread: Unsafe = { unsafe: 'wait', sentence: 'The Bitcoin clock has not been read yet.' };

/** A verdict that a later look may change; the sentence is for the journal and the owner. */
export function wait(sentence: string): Unsafe {
  return { unsafe: 'wait', sentence };
}

/** A verdict that stands: the swap is given up, or its claim is. The sentence is for the journal and the owner. */
export function never(sentence: string): Unsafe {
  return { unsafe: 'never', sentence };
}

/** What stands comes before what may change; the first of its kind counts. */
export function worstOf(verdicts: readonly Safety[]): Safety {
  return (
    verdicts.find((verdict) => verdict?.unsafe === 'never') ?? verdicts.find((verdict) => verdict !== null) ?? null
  );
}

/**
 * Safe by a reading that is not sure is not safe yet; what the time forbids stays forbidden. By the clock of that name,
 * a height being Bitcoin's.
 */
export function unlessDoubted(clocks: Clocks, clock: SpanClock): Safety {
  const doubt = clocks[clock === 'height' ? 'bitcoin' : clock]?.doubt;
  return doubt === undefined ? null : wait(doubt);
}

/**
 * What a leg shows by a clock that stands still may be long over: its end came on a chain that nobody shows us. By the
 * wall, which only ever makes it wait.
 */
export function unlessStill(
  clocks: Clocks,
  clock: SpanClock,
  { bitcoinStillAfter, evmStillAfter }: TimeoutPolicy,
): Safety {
  const chain = clock === 'height' ? 'bitcoin' : clock;
  const most = chain === 'bitcoin' ? bitcoinStillAfter : evmStillAfter;
  const latest = latestOn(chain, clocks);
  if (most === undefined || latest === null || clocks.wall - latest <= most) return null;
  return wait(
    `The clock of ${chain === 'bitcoin' ? 'the Bitcoin chain' : chain} is more than ${most} seconds behind this ` +
      "machine's: the chain or every source of it stands still, and no secret is shown for what lies there.",
  );
}
