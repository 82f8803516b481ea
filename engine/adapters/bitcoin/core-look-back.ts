import type { Txid } from '../../domain/outpoint.ts';
import type { Follower } from './follow.ts';

/** So many blocks back a new script, spend or transaction is looked for block by block. */
export const furthestBack = 1_008;
/** Of these so many in one call, so that no call takes minutes. */
const blocksPerCall = 36;

/** What one call looks for: the spend of an outpoint, or a transaction. */
export interface Sought {
  readonly point?: string;
  readonly txid?: Txid;
  /** No block below this height has it. */
  readonly since: number;
  /** Another call that looked back did it for this one as well. */
  isDone?: true;
}

/**
 * What a node without an index is asked for is looked for from the tip down, some blocks a call, until it is found or
 * too far back. The calls that wait at the same time have the same blocks read once: others make up any number of
 * coins and transactions (facts/faults.md 264).
 */
export function lookBacks() {
  /** The lowest height that each was looked for at. */
  const lowestOf = new Map<string, number>();
  const waiting = new Set<Sought>();
  const nextOf = (one: Sought, height: number): number => (lowestOf.get(keyOf(one)) ?? height + 1) - 1;

  return {
    /** A reorganisation: everything is looked for anew. */
    forget(): void {
      lowestOf.clear();
    },
    /** While `work` lasts, others look back for this as well: it is watched from now on. */
    async during<T>(follower: Follower, sought: Sought, work: () => Promise<T>): Promise<T> {
      const { points, txids } = together([sought]);
      follower.watch({ points: [...points], txids: [...txids] });
      waiting.add(sought);
      try {
        return await work();
      } finally {
        waiting.delete(sought);
      }
    },
    async goOn(follower: Follower, sought: Sought): Promise<void> {
      if (sought.isDone === true) return;
      const height = follower.height ?? 0;
      const end = Math.max(0, sought.since, height - furthestBack);
      const next = nextOf(sought, height);
      if (next < end) return;
      const all = [sought, ...[...waiting].filter((one) => one !== sought && nextOf(one, height) === next)];
      const lowest = await follower.lookBack(together(all), next, Math.max(end, next - blocksPerCall + 1));
      for (const one of all) {
        // A block that could not be read is read next time (facts/faults.md 254).
        lowestOf.set(keyOf(one), lowest);
        one.isDone = true;
      }
    },
  };
}

function keyOf({ point, txid }: Sought): string {
  return point ?? txid ?? '';
}

function together(all: readonly Sought[]) {
  return {
    scripts: new Set<string>(),
    points: new Set(all.flatMap(({ point }) => point ?? [])),
    txids: new Set(all.flatMap(({ txid }) => txid ?? [])),
  };
}
