import { refuse, type Refusal } from '../domain/errors.ts';
import type { Commits } from '../runtime/commit.ts';

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
  const clientOf = new Map<string, string>();

  function count(client: string, by: 1 | -1): void {
    const now = (counts.get(client) ?? 0) + by;
    if (now === 0) counts.delete(client);
    else counts.set(client, now);
  }

  options.commits.onCommit(({ entry: { row } }) => {
    const client = clientOf.get(row.id);
    if (client === undefined || (row.open && row.status === 'pending')) return;
    clientOf.delete(row.id);
    count(client, -1);
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
          if (options.unfunded(id)) clientOf.set(id, client);
          else count(client, -1);
        },
        giveBack: () => count(client, -1),
      };
    },
  };
}
