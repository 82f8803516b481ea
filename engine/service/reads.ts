import { alwaysInStatus, type BulkStatus, type MedianTimePast, type NodeStatus } from '../contract/records/node.ts';
import type { WireRecord } from '../contract/directions/directions.ts';
import { evmChainIds, type DirectionName } from '../domain/chain.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { ServiceContext } from './context.ts';
import type { WasRead } from './refund/late-refunds.ts';
import type { Seen } from './networks/reader.ts';
import { viewOf } from './record.ts';

export function swap(
  context: ServiceContext,
  id: string,
  wasRead: WasRead,
): { record: WireRecord; direction: DirectionName } | null {
  const entry = context.runtime.workingSet.find(id);
  if (entry === null) return null;
  if (!entry.row.open) wasRead(id, entry.row.status);
  return viewOf(context, entry);
}

export function statuses(context: ServiceContext, ids: readonly string[], wasRead: WasRead): BulkStatus {
  const answers: BulkStatus['statuses'] = [];
  const missing: string[] = [];
  for (const id of ids) {
    const status = context.runtime.store.swaps.statusOf(id);
    if (status === null) missing.push(id);
    else {
      answers.push({ id, status });
      wasRead(id, status);
    }
  }
  return { statuses: answers, not_found: missing };
}

export function mtp(context: ServiceContext): MedianTimePast | Refusal {
  const seen = context.networks.bitcoin();
  if (seen.state !== 'connected')
    return refuse('unavailable', 'The Bitcoin clock cannot be read now: try again later.');
  return { mtp: seen.facts.mtp, tip_height: seen.facts.height };
}

type Services = NodeStatus['services'];
type Health = NonNullable<Services[keyof Services]>;

/** Null for a network that the owner did not connect. */
function health(seen: Pick<Seen<unknown>, 'state'>, name: string, more: Partial<Health> = {}): Health | null {
  if (seen.state === 'absent') return null;
  return seen.state === 'connected' ? { healthy: true, ...more } : { healthy: false, error: `${name} does not answer` };
}

/**
 * The keys that clients know them by, and one for the chains whose coin is bitcoin: a node has one of these at most.
 */
const chainKeys: Readonly<Record<(typeof evmChainIds)[number], keyof Services>> = {
  137: 'polygon',
  1: 'ethereum',
  42161: 'arbitrum',
  30: 'rootstock',
  31: 'rootstock',
};

export function nodeStatus(context: ServiceContext): NodeStatus {
  const { networks, runtime } = context;
  const bitcoin = networks.bitcoin();
  const seen = { arkade: networks.arkade(), lightning: networks.lightning(), bitcoin };
  const block =
    bitcoin.state === 'connected' ? { block_height: bitcoin.facts.height, block_time: bitcoin.facts.time } : {};
  const chains = networks
    .evm()
    .flatMap((one) => evmChainIds.flatMap((id) => (id === one.chain ? [{ ...one, key: chainKeys[id] }] : [])));
  const all: readonly (readonly [keyof Services, Health | null])[] = [
    ['arkade', health(seen.arkade, 'the Arkade operator')],
    ['bitcoin', health(seen.bitcoin, 'the Bitcoin endpoint', block)],
    ['lightning', health(seen.lightning, 'the Lightning node')],
    ...chains.map((one) => [one.key, health(one, `an RPC of chain ${one.chain}`)] as const),
  ];
  return {
    // Networks that were never connected do not make a node unhealthy, those that went away do.
    healthy:
      [...Object.values(seen), ...chains].every((one) => one.state !== 'away') &&
      Object.values(seen).some((one) => one.state === 'connected'),
    swaps_paused: runtime.guard.paused() !== null || !context.live(),
    services: {
      ...Object.fromEntries(
        alwaysInStatus.map((key) => [key, { healthy: false, error: 'this node is not connected to it' }]),
      ),
      ...Object.fromEntries(all.flatMap(([key, one]) => (one === null ? [] : [[key, one]]))),
    },
  };
}
