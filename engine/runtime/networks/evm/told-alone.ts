import { toHex } from '../../../domain/hex.ts';
import type { LockEvent } from '../../../legs/evm/port.ts';
import { placeOf, type ToldLogs } from '../../../legs/evm/told-logs.ts';

/** Events of a hash that are held of one RPC and of no other: an honest one has a creation and its end. */
const most = 32;

/**
 * What one RPC alone tells of a hash beyond what is held of it, by the RPC's name: whoever has an RPC of ours and a
 * free create makes up as many locks of its hash as an answer has room for, block after block (facts/faults.md 341).
 * Claims that are meant come first, then all else that is meant, and what is lower in the chain. Each RPC has a share
 * of its own, so that nothing of a liar's stands in front of what an honest one tells.
 *
 * Loses money when wrong: the claim of our lock is dropped.
 */
export function beyondAlone(
  words: readonly Pick<ToldLogs, 'name' | 'events'>[],
  meant: () => (event: LockEvent) => boolean,
): ReadonlyMap<string, ReadonlySet<LockEvent>> {
  const beyond = new Map<string, ReadonlySet<LockEvent>>();
  const byHash = words.map(({ events }) => Map.groupBy(events, ({ preimageHash }) => toHex(preimageHash)));
  let isMeant: ((event: LockEvent) => boolean) | null = null;
  for (const [i, { name }] of words.entries()) {
    const excess: LockEvent[] = [];
    for (const [hash, events] of byHash[i] ?? []) {
      if (events.length <= most) continue;
      const others = new Set(byHash.flatMap((all, other) => (other === i ? [] : (all.get(hash) ?? []).map(placeOf))));
      const alone = events.filter((event) => !others.has(placeOf(event)));
      if (alone.length > most) excess.push(...inOrder(alone, (isMeant ??= meant())).slice(most));
    }
    if (excess.length > 0) beyond.set(name, new Set(excess));
  }
  return beyond;
}

function inOrder(events: readonly LockEvent[], isMeant: (event: LockEvent) => boolean): readonly LockEvent[] {
  return events
    .map((event) => ({ event, rank: isMeant(event) ? (event.what.is === 'redeemed' ? 0 : 1) : 2 }))
    .toSorted((a, b) => a.rank - b.rank || a.event.height - b.event.height || a.event.logIndex - b.event.logIndex)
    .map(({ event }) => event);
}
