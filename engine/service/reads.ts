import type { BulkStatus, MedianTimePast, NodeStatus, Recovery } from '../contract/records/replies.ts';
import type { RecoveredSwap, WireRecord } from '../contract/records/swap.ts';
import type { RecoverRequest } from '../contract/requests/refunds.ts';
import { wireDirections, type DirectionName } from '../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { userIdIndices, userIdsOf } from '../legs/xpub.ts';
import type { ServiceContext } from './context.ts';
import type { Seen } from './networks.ts';
import { viewOf } from './record.ts';

export function swap(context: ServiceContext, id: string): { record: WireRecord; direction: DirectionName } | null {
  const entry = context.runtime.workingSet.find(id);
  return entry === null ? null : viewOf(context, entry);
}

export function statuses(context: ServiceContext, ids: readonly string[]): BulkStatus {
  const known: BulkStatus['statuses'] = [];
  const missing: string[] = [];
  for (const id of ids) {
    const status = context.runtime.store.swaps.statusOf(id);
    if (status === null) missing.push(id);
    else known.push({ id, status });
  }
  return { statuses: known, not_found: missing };
}

/** Indices looked at in one request; more are asked for with the next one. */
const indicesPerRequest = 200;

/** Finds a wallet's swaps by the keys that it derives its user ids from (interop.md 1.3). */
export function recover(context: ServiceContext, request: RecoverRequest): Recovery | Refusal {
  const ids = userIdsOf(request.xpub);
  if (isRefusal(ids)) return ids;
  const gap = context.config.recoveryGap;
  const swaps: RecoveredSwap[] = [];
  let highest = -1;
  let index = request.startIndex;
  const end = Math.min(request.startIndex + indicesPerRequest, userIdIndices);
  for (; index < end && index - Math.max(highest, request.startIndex - 1) <= gap; index++) {
    for (const row of context.runtime.store.swaps.byUser(toHex(ids(index)))) {
      const entry = context.runtime.workingSet.find(row.id);
      const view = entry === null ? null : viewOf(context, entry);
      if (view === null) continue;
      highest = index;
      swaps.push({ ...view.record, direction: wireDirections[view.direction], index } as RecoveredSwap);
    }
  }
  return {
    swaps,
    highest_index: Math.max(0, highest),
    next_index: highest < 0 ? request.startIndex : highest + 1,
    scanned_until: index - 1,
    // The gap ended it, or there are no more indices; not the size of one answer.
    complete: index < end || end === userIdIndices,
  };
}

export function mtp(context: ServiceContext): MedianTimePast | Refusal {
  const seen = context.networks.bitcoin();
  if (seen.state !== 'connected') return refuse('unavailable', 'The Bitcoin clock cannot be read now: try again later.');
  return { mtp: seen.facts.mtp, tip_height: seen.facts.height };
}

function health(seen: Pick<Seen<unknown>, 'state'>, name: string): { healthy: boolean; error?: string } {
  if (seen.state === 'connected') return { healthy: true };
  return { healthy: false, error: seen.state === 'absent' ? `${name} is not connected` : `${name} does not answer` };
}

export function nodeStatus(context: ServiceContext): NodeStatus {
  const { networks, runtime } = context;
  const bitcoin = networks.bitcoin();
  const seen = { arkade: networks.arkade(), lightning: networks.lightning(), bitcoin };
  const chains = new Map(networks.evm().map((one) => [one.chain, one]));
  const chain = (id: string, name: string) => health(chains.get(id) ?? { state: 'absent' }, name);
  return {
    // Networks that were never connected do not make a node unhealthy, those that went away do.
    healthy: Object.values(seen).every((one) => one.state !== 'away') && Object.values(seen).some((one) => one.state === 'connected'),
    swaps_paused: runtime.guard.paused() !== null,
    services: {
      arkade: health(seen.arkade, 'the Arkade operator'),
      bitcoin:
        bitcoin.state === 'connected'
          ? { healthy: true, block_height: bitcoin.facts.height, block_time: bitcoin.facts.time }
          : health(bitcoin, 'the Bitcoin endpoint'),
      lightning: health(seen.lightning, 'the Lightning node'),
      polygon: chain('137', 'an RPC of chain 137'),
      ethereum: chain('1', 'an RPC of chain 1'),
      arbitrum: chain('42161', 'an RPC of chain 42161'),
    },
  };
}
