import type { Clocks } from '../../domain/time.ts';
import { claimTime, type TheirsToClaim } from '../spans.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import { outlives, unreadOf, type Pair } from './outlives.ts';
import { never, type Safety, unlessDoubted, unread, worstOf } from './verdict.ts';

/**
 * Giving a leg for the client's, whatever their networks. Wrong: the client claims what we gave and keeps its own.
 *
 * `looks`: what the looks at the client's leg came to, whole and deep and of the agreed amount, and what a payment of
 * ours is asked beside.
 */
export function safeToGive(
  { looks, ...pair }: Pair & { readonly looks: readonly Safety[] },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
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
