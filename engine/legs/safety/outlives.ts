import { type Clocks, expectedAt, height, isRead, unix } from '../../domain/time.ts';
import { openFor, sureFor, type OursToClaim, type SpanClock, type TheirsToClaim } from '../spans.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import { blocksUp } from '../timelocks.ts';
import { never, type Safety, unread, wait } from './verdict.ts';

/** Both legs of a swap, as whoever gives the second one for the first sees them. */
export interface Pair {
  /** The client's leg, which pays for what we give. */
  readonly sure: OursToClaim;
  /** What we give for it. */
  readonly given: TheirsToClaim;
}

/**
 * Whether the leg that we claim outlives the one that we give, by the margin in which our refund of it becomes final:
 * reaction, confirmation and reorganisation (facts/timelocks.md 1, 5, 6, 25, 26). This is the one comparison of two
 * timelocks, for every pair of networks. Wrong: the other side claims what we gave and has its own again, and all of it
 * is lost.
 *
 * On one clock both moments are compared as they are, and nothing heals what is too short. On two clocks both are spans
 * from now on, each as bad for us as it can be: where both are of time the one that trails may catch up, so that it is
 * waited for, and where one is of blocks it never comes back.
 */
export function outlives({ sure, given }: Pair, clocks: Clocks, policy: TimeoutPolicy): Safety {
  const lasts = sureFor(sure, clocks, policy);
  const open = openFor(given, clocks, policy);
  if (lasts === null || open === null) return unreadOf({ sure, given }, clocks) ?? unread;
  const isOneClock = sure.clock === given.clock;
  const unit = sure.clock === 'height' ? policy.fastBlock : 1;
  const spare = isOneClock ? (sure.surelyOursUntil - given.claimableUntil) * unit : lasts - open;
  if (spare >= policy.margin) return null;
  const sentence =
    isOneClock && sure.clock === 'height'
      ? `${sure.name} is sure until block ${sure.surelyOursUntil}; it must be ${blocksUp(policy.margin, policy)} blocks ` +
        `above ${given.claimableUntil}.`
      : `${sure.name} is sure for ${Math.max(0, lasts)} seconds; ${lasts - spare + policy.margin} are needed.`;
  const mayHeal = !isOneClock && sure.clock !== 'height' && given.clock !== 'height';
  return mayHeal ? wait(sentence) : never(sentence);
}

/** Waits until every clock that judges a leg was read. */
export function unreadOf({ sure, given }: Pair, clocks: Clocks): Safety {
  if (!isRead(clocks)) return unread;
  const isUnread = [sure.clock, given.clock].some(
    (clock) => clock !== 'height' && (clocks[clock]?.mtp ?? null) === null,
  );
  return isUnread ? wait('The clock of the EVM chain has not been read yet.') : null;
}

/**
 * Whether the leg that pays ends after what is given for it at all: moments of two clocks as if they were of one, a
 * height as if every block until then took ten minutes. Null while that chain is unread. It is for whoever reads an
 * offer, and weaker than `outlives`: margin and lags are the risk of the side that gives, whose numbers are its own
 * (DECISIONS.md, "A client asks for the order of two timelocks"). Wrong: an offer that nobody means is paid, and waits
 * for its refund.
 */
export function endsAfter({ sure, given }: Pair, clocks: Clocks): boolean | null {
  const ends = endOf(sure.clock, sure.surelyOursUntil, clocks);
  const before = endOf(given.clock, given.claimableUntil, clocks);
  return ends === null || before === null ? null : ends > before;
}

function endOf(clock: SpanClock, end: number, clocks: Clocks): number | null {
  return expectedAt(clock === 'height' ? height(end) : unix(end), clocks);
}
