import type { TakerDirection } from '../../domain/chain.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import { takenDirections } from '../../taker/directions.ts';

/**
 * Seconds from a create until what was paid can be taken back alone, at most: every direction refuses a record whose
 * refund opens later than the longest leg, and a chain judges that by a clock that may lag. Null where a payment over
 * Lightning goes back: how long that is held, the wallet that pays decides with its route.
 */
export function worstSeconds(direction: TakerDirection, { longestLeg, mtpLag }: TimeoutPolicy): number | null {
  switch (takenDirections[direction].source) {
    case 'Lightning':
      return null;
    case 'evm':
      return longestLeg;
    case 'Arkade':
    case 'Bitcoin':
      return longestLeg + mtpLag;
  }
}
