import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { isRefusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { holderOf } from '../domain/site.ts';
import type { SwapRow } from '../store/swaps.ts';
import { createAgain, isTold, lastWords, oneATurn } from './again.ts';
import type { DoorContext } from './context.ts';
import { userIdOf } from './ids.ts';
import type { Postbox } from './postbox.ts';
import { sidesOf } from './sides.ts';
import { statusNow } from './status.ts';
import { findSwap } from './swap.ts';
import { toldLast } from './to-sign.ts';
import { wordsSince, type Word } from './words.ts';

/**
 * Swaps of which it is in mind what was told last, and that are looked at again; of others the same may be told twice.
 */
const mostTold = 10_000;

/**
 * Tells each client that named an address what becomes of its swap, while the door is open: at each commit of it, and
 * when blocks or the clock move it. Answers what ends that.
 */
export function tellWebhooks(door: DoorContext, postbox: Pick<Postbox, 'put'>): () => void {
  const { runtime } = door.context;
  const lastOf = new Map<string, Word>();
  /** Own ids of swaps that blocks and the clock may move. */
  const moving = new Set<string>();
  let isOver = false;

  function look(swapId: string): void {
    const listener = runtime.store.boltzSwaps.webhookOf(swapId);
    const swap = listener === null ? null : findSwap(door, listener.id);
    if (listener === null || swap === null || isRefusal(swap) || isTold(swap)) moving.delete(swapId);
    else moving.add(swapId);
    followClock();
    if (listener === null || swap === null || isRefusal(swap) || !door.context.config.boltz.enabled) return;
    const { id, webhook } = listener;
    const sides = sidesOf(swap);
    const status = statusNow(door, swap, sides);
    if (!swap.entry.row.open && lastWords.has(status)) moving.delete(swapId);
    const last = lastOf.get(id) ?? toldLast(sides, status);
    const words = wordsSince(swap.pair, last, status);
    remember(id, words.at(-1) ?? last ?? status);
    dropOldest(moving, mostTold);
    const named = words.filter((word) => webhook.statuses?.includes(word) !== false);
    const shown = webhook.hashed ? toHex(sha256(utf8ToBytes(id))) : id;
    const tellings = named.map((word) => JSON.stringify({ event: 'swap.update', data: { id: shown, status: word } }));
    const url = new URL(webhook.url);
    // Who is not known is told apart by its place.
    const { client = url.host } = webhook;
    postbox.put(id, url, tellings, holderOf(client));
  }

  function remember(id: string, status: Word): void {
    lastOf.delete(id);
    lastOf.set(id, status);
    // More than are looked at again: none of those is told anew because of another.
    dropOldest(lastOf, 2 * mostTold);
  }

  const followClock = createAgain(
    () => moving.size > 0 && !isOver,
    (act) => runtime.background('looking at swaps of addresses again', act),
    () =>
      oneATurn([...moving], (swapId) => {
        if (!isOver) look(swapId);
      }),
  );
  runtime.commits.onCommit(({ entry: { row } }) => {
    if (isOver || !isOfDoor(row)) return;
    runtime.background('telling of a swap to an address', async () => look(row.id));
  });
  // Those from before a start are told once more.
  for (const { row } of runtime.workingSet.all()) if (isOfDoor(row)) moving.add(row.id);
  followClock();
  return () => {
    isOver = true;
    followClock();
  };
}

function isOfDoor({ userId }: Pick<SwapRow, 'userId'>): boolean {
  return userId?.startsWith(userIdOf('')) === true;
}

function dropOldest(of: Set<string> | Map<string, Word>, most: number): void {
  const oldest = of.size > most ? of.keys().next().value : undefined;
  if (oldest !== undefined) of.delete(oldest);
}
