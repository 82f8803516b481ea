import type { BulkStatus, MedianTimePast, NodeStatus } from '../contract/records/node.ts';
import type { WireRecord } from '../contract/directions/directions.ts';
import type { DirectionName } from '../domain/chain.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import type { ServiceContext } from './context.ts';
import type { Seen } from './networks/reader.ts';
import { viewOf } from './record.ts';

export function swap(context: ServiceContext, id: string): { record: WireRecord; direction: DirectionName } | null {
  const entry = context.runtime.workingSet.find(id);
  return entry === null ? null : viewOf(context, entry);
}

export function statuses(context: ServiceContext, ids: readonly string[]): BulkStatus {
  const answers: BulkStatus['statuses'] = [];
  const missing: string[] = [];
  for (const id of ids) {
    const status = context.runtime.store.swaps.statusOf(id);
    if (status === null) missing.push(id);
    else answers.push({ id, status });
  }
  return { statuses: answers, not_found: missing };
}

export function mtp(context: ServiceContext): MedianTimePast | Refusal {
  const seen = context.networks.bitcoin();
  if (seen.state !== 'connected')
    return refuse('unavailable', 'The Bitcoin clock cannot be read now: try again later.');
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
    healthy:
      Object.values(seen).every((one) => one.state !== 'away') &&
      Object.values(seen).some((one) => one.state === 'connected'),
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
