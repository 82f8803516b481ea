import type { Clocks } from '../../domain/time.ts';

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

/** Safe by a reading that is not sure is not safe yet; what the time forbids stays forbidden. */
export function unlessDoubted({ bitcoin: { doubt } }: Clocks): Safety {
  return doubt === undefined ? null : wait(doubt);
}
