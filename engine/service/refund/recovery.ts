import type { Recovery } from '../../contract/records/swap.ts';
import type { RecoveredSwap } from '../../contract/records/swap.ts';
import type { RecoverRequest } from '../../contract/requests/refunds.ts';
import { wireDirections } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { beginningAbove, keyIndices, lastBeginning } from '../../domain/key-index.ts';
import { createPlaces } from '../../domain/places.ts';
import { lane, slices } from '../../runtime/slices.ts';
import type { ServiceContext } from '../context.ts';
import { viewOf } from '../record.ts';
import { createUserIds, type UserIds } from './user-ids.ts';

/** Indices looked at in one request; more are asked for with the next one. */
const indicesPerRequest = 200;
/**
 * Indices looked at from each place on where words may have begun again (`beginningPast`): all of them together cost as
 * much as those of one request at the most. A failed create uses up one, and a hash that was used eleven.
 */
const indicesPerBeginning = 20;
/** Swaps answered in one request, about. */
const swapsPerRequest = 200;
/** Swaps of one user id, the newest. A wallet makes an id for each swap; only a stranger gives thousands the same. */
const swapsPerUser = 100;
const mostWaiting = { ofHolder: 2, ofAll: 40 };

/**
 * Finds a wallet's swaps by the keys that it derives its user ids from (facts/clients.md 13). One recovery at a time
 * and in slices: hundreds of keys are tens of milliseconds of work, and anybody may ask for them. A client, or a site,
 * waits for two at most, and for none that it left (facts/faults.md 364).
 */
export function createRecovery(
  context: ServiceContext,
): (request: RecoverRequest, client?: string | null, left?: AbortSignal) => Promise<Recovery | Refusal> {
  const userIds = createUserIds();
  const inTurn = lane(mostWaiting.ofAll);
  const places = createPlaces(mostWaiting);
  return async (request, client = null, left = new AbortController().signal) => {
    if (left.aborted) return nobodyWaits;
    const giveBack = places.take(client);
    if (giveBack === null)
      return refuse('flood', 'Too many recoveries wait, or two of yours: try again when those are answered.');
    left.addEventListener('abort', giveBack, { once: true });
    try {
      return (
        (await inTurn(() => recover(context, userIds, request, left), left)) ??
        refuse('flood', 'The node is busy with the recoveries of others: try again in a moment.')
      );
    } finally {
      giveBack();
      left.removeEventListener('abort', giveBack);
    }
  };
}

/** Nobody reads it. */
const nobodyWaits = refuse('unavailable', 'The connection was closed: send the request again.');

async function recover(
  context: ServiceContext,
  userIds: ReturnType<typeof createUserIds>,
  { xpub, startIndex }: RecoverRequest,
  left: AbortSignal,
): Promise<Recovery | Refusal> {
  if (left.aborted) return nobodyWaits;
  const slice = slices();
  const ids = userIds(xpub);
  if (isRefusal(ids)) return ids;
  const gap = context.config.recoveryGap;
  const swaps: RecoveredSwap[] = [];
  let highest = -1;
  let index = startIndex;
  const end = Math.min(startIndex + indicesPerRequest, keyIndices);
  const inGap = (): boolean => index - Math.max(highest, startIndex - 1) <= gap;
  for (; index < end && swaps.length < swapsPerRequest && inGap(); index++) {
    await slice();
    if (left.aborted) return nobodyWaits;
    for (const id of context.runtime.store.swaps.byUser(ids(index), swapsPerUser)) {
      await slice();
      const entry = context.runtime.workingSet.readable(id);
      const view = entry === null ? null : viewOf(context, entry);
      if (view === null) continue;
      highest = index;
      swaps.push({ ...view.record, direction: wireDirections[view.direction], index } as RecoveredSwap);
    }
  }
  // The gap ended it, or there are no more indices; not the size of one answer.
  const ended = !inGap() || index === keyIndices;
  const again = ended ? await beginsAgain(context, ids, { from: index - 1, highest, left }) : null;
  return {
    swaps,
    highest_index: Math.max(0, highest),
    next_index: highest < 0 ? startIndex : highest + 1,
    scanned_until: again === null ? index - 1 : again - 1,
    complete: ended && again === null,
  };
}

/**
 * Where these words began again after they were brought back from paper, if they have swaps there: a wallet that asks
 * on from there finds them as it finds the others, whoever wrote it.
 */
async function beginsAgain(
  { runtime }: ServiceContext,
  ids: UserIds,
  { from, highest, left }: { readonly from: number; readonly highest: number; readonly left: AbortSignal },
): Promise<number | null> {
  const slice = slices();
  const last = lastBeginning(Math.max(from, highest));
  for (let beginning = beginningAbove(from); beginning <= last; beginning = beginningAbove(beginning)) {
    for (let index = beginning; index < beginning + indicesPerBeginning; index++) {
      await slice();
      if (left.aborted) return null;
      if (runtime.store.swaps.byUser(ids(index), 1).length > 0) return beginning;
    }
  }
  return null;
}
