import type { Recovery } from '../contract/records/swap.ts';
import type { RecoveredSwap } from '../contract/records/swap.ts';
import type { RecoverRequest } from '../contract/requests/refunds.ts';
import { wireDirections } from '../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { userIdIndices } from '../legs/xpub.ts';
import { lane, slices } from '../runtime/slices.ts';
import type { ServiceContext } from './context.ts';
import { viewOf } from './record.ts';
import { createUserIds } from './user-ids.ts';

/** Indices looked at in one request; more are asked for with the next one. */
const indicesPerRequest = 200;
/** Swaps answered in one request, about. */
const swapsPerRequest = 200;
/** Swaps of one user id, the newest. A wallet makes an id for each swap; only a stranger gives thousands the same. */
const swapsPerUser = 100;
const mostWaiting = 40;

/**
 * Finds a wallet's swaps by the keys that it derives its user ids from (facts/clients.md 13). One recovery at a time and in
 * slices: hundreds of keys are tens of milliseconds of work, and anybody may ask for them.
 */
export function createRecovery(context: ServiceContext): (request: RecoverRequest) => Promise<Recovery | Refusal> {
  const userIds = createUserIds();
  const inTurn = lane(mostWaiting);
  return async (request) =>
    (await inTurn(() => recover(context, userIds, request))) ??
    refuse('flood', 'The node is busy with the recoveries of others: try again in a moment.');
}

async function recover(
  context: ServiceContext,
  userIds: ReturnType<typeof createUserIds>,
  { xpub, startIndex }: RecoverRequest,
): Promise<Recovery | Refusal> {
  const slice = slices();
  const ids = userIds(xpub);
  if (isRefusal(ids)) return ids;
  const gap = context.config.recoveryGap;
  const swaps: RecoveredSwap[] = [];
  let highest = -1;
  let index = startIndex;
  const end = Math.min(startIndex + indicesPerRequest, userIdIndices);
  const inGap = (): boolean => index - Math.max(highest, startIndex - 1) <= gap;
  for (; index < end && swaps.length < swapsPerRequest && inGap(); index++) {
    await slice();
    for (const id of context.runtime.store.swaps.byUser(ids(index), swapsPerUser)) {
      const entry = context.runtime.workingSet.readable(id);
      const view = entry === null ? null : viewOf(context, entry);
      if (view === null) continue;
      highest = index;
      swaps.push({ ...view.record, direction: wireDirections[view.direction], index } as RecoveredSwap);
    }
  }
  return {
    swaps,
    highest_index: Math.max(0, highest),
    next_index: highest < 0 ? startIndex : highest + 1,
    scanned_until: index - 1,
    // The gap ended it, or there are no more indices; not the size of one answer.
    complete: !inGap() || index === userIdIndices,
  };
}
