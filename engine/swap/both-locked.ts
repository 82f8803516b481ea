import type { SwapStatus } from '../domain/status.ts';
import { stoppedStatuses, type StoppedFor } from './source.ts';

/*
 * What is the same of all swaps in which the client locks on one chain and we on another.
 */

/** What clients are told of such a swap; what became of one that was given back is told by `givenBackStatus`. */
export const bothLockedStatuses = {
  pending: 'pending',
  seen: 'clientfundingseen',
  funded: 'clientfunded',
  locked: 'serverfunded',
  refunding: 'serverfunded',
  claimed: 'serverredeemed',
  lost: 'clientredeemedandclientrefunded',
  returned: 'clientfundedserverrefunded',
  lapsed: 'expired',
} as const satisfies Record<string, SwapStatus>;

/** A swap whose client has its lock back, or may have it; `returned`: ours was made and came back. */
type GivenBack =
  { readonly at: 'stopped'; readonly why: StoppedFor } | { readonly at: 'refunded'; readonly returned?: object };

export function givenBackStatus(p: GivenBack): SwapStatus {
  if (p.at === 'stopped') return stoppedStatuses[p.why];
  return p.returned === undefined ? 'clientrefunded' : 'clientrefundedserverrefunded';
}
