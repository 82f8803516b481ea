import { furthest, type Clocks } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';

/**
 * Whether an act may not be started any more. What ends at a timelock, a lock or a claim, is late by the chain's clock
 * alone; a payment is tried by the wall for as long as its client was promised, and what is safe is judged beside that.
 */
export function isLate({ notAfter, held, reveal }: OnlyIf, clocks: Clocks): boolean {
  return (held === undefined && reveal === undefined ? clocks.wall : (furthest(clocks.bitcoin).mtp ?? 0)) > notAfter;
}
