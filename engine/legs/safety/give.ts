import { type Clocks, unix } from '../../domain/time.ts';
import { latestByChain } from '../timelocks.ts';
import { latestOn, type TheirsToClaim } from '../spans.ts';
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
 * What the client must have left, in seconds, to claim a leg of ours before we may take it back, by the clock that
 * judges both. Median time past may trail true time by its lag; the block time of an EVM chain is that of the claim
 * itself. Wrong: the client pays for what it cannot claim. A payment of ours its payee claims, and its own time is the
 * invoice's.
 */
function timeToClaim({ clock, claimableUntil }: TheirsToClaim, clocks: Clocks, policy: TimeoutPolicy): Safety {
  if (clock === 'height') return null;
  const latest = latestOn(clock, clocks);
  if (latest === null) return unread;
  const left = claimableUntil - (clock === 'bitcoin' ? latestByChain({ mtp: unix(latest) }, policy) : latest);
  return left < policy.leastClaimTime
    ? never(`The client would have ${Math.max(0, left)} seconds to claim; ${policy.leastClaimTime} are needed.`)
    : null;
}
