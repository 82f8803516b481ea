import { setImmediate as turn } from 'node:timers/promises';
import type { PublicKey } from '../domain/hash.ts';
import type { SwapOfKey } from '../store/boltz-swaps.ts';

/** Swaps that are read in one turn of the loop: some milliseconds. */
const atOnce = 500;

interface Swaps {
  ofKey(key: PublicKey, after: string, most: number): readonly SwapOfKey[];
}

/**
 * The ids of a key's swaps, those that were ever funded before the others, the newest first. Whoever makes swaps by the
 * thousand with one key holds nobody up when they are looked for (facts/faults.md 178).
 */
export async function idsOfKey(swaps: Swaps, key: PublicKey, most: number): Promise<string[]> {
  let first: SwapOfKey[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: readonly SwapOfKey[] = swaps.ofKey(key, after, atOnce);
    first = [...first, ...page].toSorted(inOrder).slice(0, most);
    after = page.length < atOnce ? undefined : page.at(-1)?.id;
    if (after !== undefined) await turn();
  }
  return first.map(({ id }) => id);
}

function inOrder(one: SwapOfKey, other: SwapOfKey): number {
  return Number(other.funded) - Number(one.funded) || other.createdAt - one.createdAt || (one.id < other.id ? -1 : 1);
}
