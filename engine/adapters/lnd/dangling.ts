import { sameBytes, type Sha256 } from '../../domain/hash.ts';
import { blocksAfterTimeout } from '../../legs/timelocks.ts';
import type { Channel } from './channel.ts';
import { namesOf } from './holdings.ts';
import { channelsOf, info } from './node.ts';
import type { Lnd } from './rpc.ts';

/** One HTLC of lnd's Payment message, as far as it is used here. */
export interface Attempt {
  readonly status: string;
  readonly route?: {
    readonly total_time_lock: number;
    readonly total_fees_msat?: string;
    readonly hops: readonly { readonly chan_id: string }[];
  };
}

/**
 * An attempt that lnd noted and never gave to its channel, because it was killed between the two, is in flight to lnd
 * for ever (facts/faults.md 23). Nothing tells it from one that is about to leave, but that it has timed out long since
 * and that the channel which it was to take stands open without it.
 */
export async function dangles(node: Lnd, attempts: readonly Attempt[], hash: Sha256): Promise<boolean> {
  if (attempts.length === 0) return false;
  const { height } = await info(node);
  return attempts.every(longOver(height)) && attempts.every(isOnNone(await channelsOf(node), hash));
}

function longOver(height: number) {
  return ({ route }: Attempt): boolean => route !== undefined && height > route.total_time_lock + blocksAfterTimeout;
}

/** A channel that is closing may still pay it on the chain, and lnd tells what became of it there. */
function isOnNone(channels: readonly Channel[], hash: Sha256) {
  return ({ route }: Attempt): boolean => {
    const first = route?.hops[0]?.chan_id;
    const channel = channels.find((one) => first !== undefined && namesOf(one).includes(first));
    return channel !== undefined && !channel.pending_htlcs.some(({ hash_lock }) => sameBytes(hash_lock, hash));
  };
}
