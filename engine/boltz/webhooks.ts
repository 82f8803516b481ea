import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { isRefusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import type { DoorContext } from './context.ts';
import { userIdOf } from './ids.ts';
import type { Postbox } from './postbox.ts';
import { sidesOf } from './sides.ts';
import { statusNow } from './status.ts';
import { findSwap } from './swap.ts';
import type { Word } from './words.ts';

/** Swaps of which it is in mind what was told last; of others the same may be told twice. */
const mostTold = 10_000;

/** Tells each client that named an address what becomes of its swap, while the door is open. */
export function tellWebhooks(door: DoorContext, postbox: Pick<Postbox, 'put'>): void {
  const { runtime } = door.context;
  const lastOf = new Map<string, Word>();

  function look(swapId: string): void {
    const named = runtime.store.boltzSwaps.webhookOf(swapId);
    const swap = named === null ? null : findSwap(door, named.id);
    if (named === null || swap === null || isRefusal(swap)) return;
    const { id, webhook } = named;
    const status = statusNow(door, swap, sidesOf(swap));
    if (lastOf.get(id) === status) return;
    remember(id, status);
    if (webhook.statuses !== null && !webhook.statuses.includes(status)) return;
    const data = { id: webhook.hashed ? toHex(sha256(utf8ToBytes(id))) : id, status };
    postbox.put(id, new URL(webhook.url), JSON.stringify({ event: 'swap.update', data }));
  }

  function remember(id: string, status: Word): void {
    lastOf.delete(id);
    lastOf.set(id, status);
    const oldest = lastOf.size > mostTold ? lastOf.keys().next().value : undefined;
    if (oldest !== undefined) lastOf.delete(oldest);
  }

  runtime.commits.onCommit(({ entry: { row } }) => {
    if (!door.context.config.boltz.enabled || row.userId?.startsWith(userIdOf('')) !== true) return;
    runtime.background('telling of a swap to an address', async () => look(row.id));
  });
}
