import { z } from 'zod';
import type { Engine } from '../engine/index.ts';

/** What a notification depends on, of a swap in which the owner is the client. */
export interface OwnSwap {
  readonly id: string;
  readonly attention: 'none' | 'waiting' | 'needs-you' | 'danger';
  readonly outcome: string | null;
}

export type Notice = 'claimed' | 'returned' | 'needs-you' | 'deadline-near';

const swap = z.object({
  id: z.string(),
  attention: z.enum(['none', 'waiting', 'needs-you', 'danger']),
  outcome: z.string().nullable(),
});
const list = z.object({ status: z.literal(200), body: z.object({ swaps: z.array(swap) }) });
const one = z.object({ status: z.literal(200), body: swap });

/** Those that are open, and those of `before` that no longer are; null where the node does not say. */
export async function readOwnSwaps(
  engine: Engine,
  before: ReadonlyMap<string, OwnSwap>,
): Promise<ReadonlyMap<string, OwnSwap> | null> {
  try {
    const { swaps } = list.parse(await engine.dispatch('takerSwaps', { query: { show: 'open' } })).body;
    const now = new Map<string, OwnSwap>(swaps.map((open) => [open.id, open]));
    for (const [id, { outcome }] of before)
      if (!now.has(id) && outcome === null)
        now.set(id, one.parse(await engine.dispatch('takerSwap', { params: { id } })).body);
    return now;
  } catch {
    return null; // Asked again at the next event, and every minute.
  }
}

/** What became of a swap that its owner should hear of, null for nothing new. */
export function noticeOf(before: OwnSwap | undefined, now: OwnSwap): Notice | null {
  if (now.outcome !== null && before !== undefined && before.outcome === null) {
    if (now.outcome === 'finished') return 'claimed';
    if (now.outcome === 'returned') return 'returned';
  }
  if (now.attention === before?.attention) return null;
  if (now.attention === 'danger') return 'deadline-near';
  return now.attention === 'needs-you' && before?.attention !== 'danger' ? 'needs-you' : null;
}
