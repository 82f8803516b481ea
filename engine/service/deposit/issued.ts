import { sameBytes } from '../../domain/hash.ts';
import { minute, type Unix } from '../../domain/time.ts';

/** What a client was told to sign. */
export interface Issued {
  /** Of the calls. */
  readonly hash: Uint8Array;
  readonly sourceAmount: bigint;
}

/**
 * Calls that were issued count for so long: their price is of a market that moves, and the floor in them holds in any
 * case.
 */
const issuedFor = 10 * minute;

/**
 * What was issued for the swaps of clients, until its time is over and no shorter: whoever knows of a swap, or has
 * swaps of its own, may fetch as much as the API answers, and takes nobody's away (facts/faults.md 62). After a restart
 * a client fetches it again: it is asked for twice in any case (facts/clients.md 36).
 */
export function createIssued(now: () => Unix) {
  /** By swap, whose last one was longest ago first; of each the latest last. */
  const swaps = new Map<string, readonly (Issued & { readonly at: number })[]>();

  const isOver = ({ at }: { readonly at: number }): boolean => Math.abs(now() - at) > issuedFor;

  function of(id: string): readonly Issued[] {
    return (swaps.get(id) ?? []).filter((one) => !isOver(one));
  }

  return {
    issue(id: string, { hash, sourceAmount }: Issued): void {
      const others = (swaps.get(id) ?? []).filter(
        (one) => !isOver(one) && !(one.sourceAmount === sourceAmount && sameBytes(one.hash, hash)),
      );
      swaps.delete(id);
      swaps.set(id, [...others, { hash, sourceAmount, at: now() }]);
      for (const [other, all] of swaps) {
        const last = all.at(-1);
        if (last !== undefined && !isOver(last)) return;
        swaps.delete(other);
      }
    },
    /** Of these calls, the latest last. */
    with: (id: string, hash: Uint8Array): readonly Issued[] => of(id).filter((one) => sameBytes(one.hash, hash)),
    /** Swaps that anything is kept of. */
    get size(): number {
      return swaps.size;
    },
  };
}
