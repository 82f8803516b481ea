import { refuse, type Refusal } from '../../domain/errors.ts';
import type { Commits } from '../../runtime/commit.ts';
import type { SwapRow } from '../../store/swaps.ts';

/** A place among the unfunded swaps of a client, held from before its create until its funding or its end. */
export interface OpenCreate {
  /** The swap that the create made. */
  is(id: string): void;
  /** Nothing came of it. */
  giveBack(): void;
}

/**
 * Seconds. A place comes back with a funding or at the end of a funding window: asking every second finds neither
 * sooner.
 */
const placesComeBackAfter = 60;

/**
 * How many swaps of each client wait for their funding: each promises liquidity, and free ones would be a way to take
 * all of it, or the disk (facts/faults.md 53). Kept in memory: after a restart counting begins anew, and the funding
 * window ends what is left of before.
 */
export function createOpenCreates(options: {
  most: () => number;
  commits: Pick<Commits, 'onCommit'>;
  unfunded: (id: string) => boolean;
}) {
  const counts = new Map<string, number>();
  /** Of each open swap, its client and whether it has one of its places. */
  const placeOf = new Map<string, { readonly client: string; readonly counts: boolean }>();

  function count(client: string, by: 1 | -1): void {
    const now = (counts.get(client) ?? 0) + by;
    if (now === 0) counts.delete(client);
    else counts.set(client, now);
  }

  options.commits.onCommit(({ entry: { row } }) => {
    const place = placeOf.get(row.id);
    if (place === undefined) return;
    const waits = row.open && isUnfunded(row);
    if (row.open) placeOf.set(row.id, { ...place, counts: waits });
    else placeOf.delete(row.id);
    // A funding that is replaced before it is in a block has its swap wait again, for the price of one fee.
    if (waits !== place.counts) count(place.client, waits ? 1 : -1);
  });

  return {
    /** A refusal where the client has as many as it may. */
    take(client: string): OpenCreate | Refusal {
      const most = options.most();
      if ((counts.get(client) ?? 0) >= most)
        return refuse(
          'flood',
          `${most} swaps of yours wait for their funding, which is the most: fund some of them, or wait until ` +
            'they expire.',
          placesComeBackAfter,
        );
      count(client, 1);
      return {
        is(id) {
          if (options.unfunded(id)) placeOf.set(id, { client, counts: true });
          else count(client, -1);
        },
        giveBack: () => count(client, -1),
      };
    },
  };
}

/** What lies there before the swap has an amount may be dust, which its sender has back. */
export function isUnfunded({ status, progress }: Pick<SwapRow, 'status' | 'progress'>): boolean {
  return status === 'pending' || (progress as { readonly at: string }).at === 'unnamed';
}
