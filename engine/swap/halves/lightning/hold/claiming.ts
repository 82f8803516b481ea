import type { Clocks } from '../../../../domain/time.ts';
import { blocksAfterTimeout } from '../../../../legs/timelocks.ts';
import type { Step, EventOf } from '../../../machine.ts';
import { earned } from '../../../ledger.ts';
import { stepTo, type News } from '../../answer.ts';
import type { ClaimEnd } from '../../claim.ts';
import { heldOf, type Held, type Hold, type HoldTerms as T } from './terms.ts';

/** The preimage is ours: the held payment is settled, however long that takes. */
export function whenSeen(
  t: T,
  p: Held,
  { state }: EventOf<'hold.seen'>,
  { bitcoin: { height } }: Clocks,
): Step<Held> | News<ClaimEnd<Hold>> | 'stay' {
  switch (state.is) {
    case 'settled':
      return settled(t, p);
    case 'cancelled':
      return { fact: 'lost', lost: heldOf(p) };
    case 'absent':
      // The wrong node answers, or one that was restored from nothing: the right one may be back before the payment
      // times out.
      return height !== null && height > p.expiryHeight + blocksAfterTimeout
        ? { fact: 'lost', lost: heldOf(p) }
        : stepTo(p, {
            flag:
              'The client claimed our lock, and this Lightning node does not know its payment: connect the node ' +
              'that holds it, before it times out.',
          });
    default:
      return 'stay';
  }
}

export function settled(t: T, p: Held): News<ClaimEnd<Hold>> {
  return {
    fact: 'claimed',
    claimed: heldOf(p),
    along: { ledger: earned('lightning', t) },
  };
}
