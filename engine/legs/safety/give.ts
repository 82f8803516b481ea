import type { Clocks } from '../../domain/time.ts';
import { claimTime, isOpen, sureFor, type OursToClaim, type TheirsToClaim } from '../spans.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import { outlives, unreadOf, type Pair } from './outlives.ts';
import { never, type Safety, unlessDoubted, unread, worstOf } from './verdict.ts';

/**
 * `looks`: what the looks at the client's leg came to, whole and deep and of the agreed amount, and what a payment of
 * ours is asked beside.
 */
type Given = Pair & { readonly looks: readonly Safety[] };

/** Judges whether a leg of ours may be given, or finished, for the client's. */
export type Give = (given: Given, clocks: Clocks, policy: TimeoutPolicy) => Safety;

/** Giving a leg for the client's, whatever their networks. Wrong: the client claims what we gave and keeps its own. */
export function safeToGive({ looks, ...pair }: Given, clocks: Clocks, policy: TimeoutPolicy): Safety {
  const { sure, given } = pair;
  return (
    unreadOf(pair, clocks) ??
    worstOf([
      ...looks,
      timeToClaim(given, clocks, policy),
      outlives(pair, clocks, policy),
      ...[sure, given].map(({ clock }) => unlessDoubted(clocks, clock)),
    ])
  );
}

/**
 * Finishing a leg that somebody has half since long: without us it never is one. The client's must be there, and surely
 * ours until our refund is final, which may be open by now; how much time the client has left for ours is its own
 * affair. Wrong: as of giving it (facts/faults.md 328).
 */
export function safeToFinish({ looks, ...pair }: Given, clocks: Clocks, policy: TimeoutPolicy): Safety {
  const { sure, given } = pair;
  return (
    unreadOf(pair, clocks) ??
    worstOf([
      timeForRefund(sure, clocks, policy),
      ...looks,
      isOpen(given, clocks) ? null : outlives(pair, clocks, policy),
      ...[sure, given].map(({ clock }) => unlessDoubted(clocks, clock)),
    ])
  );
}

/** Seconds that the client's leg must surely be ours for, so that ours is claimed and followed, or back, before. */
function timeForRefund(sure: OursToClaim, clocks: Clocks, policy: TimeoutPolicy): Safety {
  const left = sureFor(sure, clocks, policy);
  if (left === null) return unread;
  return left < policy.margin
    ? never(`${sure.name} is sure for ${Math.max(0, left)} seconds; ${policy.margin} are needed.`)
    : null;
}

/**
 * What the client must have left, in seconds, to claim a leg of ours before we may take it back. Wrong: the client pays
 * for what it cannot claim. A payment of ours its payee claims, and its own time is the invoice's.
 */
function timeToClaim(given: TheirsToClaim, clocks: Clocks, policy: TimeoutPolicy): Safety {
  if (given.clock === 'height' && given.byChance !== true) return null;
  const left = claimTime(given, clocks, policy);
  if (left === null) return unread;
  return left < policy.leastClaimTime
    ? never(`The client would have ${Math.max(0, left)} seconds to claim; ${policy.leastClaimTime} are needed.`)
    : null;
}
