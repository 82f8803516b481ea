import type { Commits } from './commit.ts';
import type { SentMemory } from './networks/sent-memory.ts';

/**
 * Those who wait for what becomes of a swap. Nobody is left waiting when the node stops, and nothing is read of a store
 * that is closed.
 */
export interface Waits {
  /**
   * The first value that `look` finds: now, at each step of the swap, with each transaction of ours that a node takes,
   * and once more when `ms` are over. Null when there is none by then, or the node stops.
   */
  found<V>(id: string, look: () => V | null, ms: number): Promise<V | null>;
  stop(): void;
}

export function createWaits({ commits, taken }: { commits: Commits; taken: Pick<SentMemory, 'on'> }): Waits {
  const waiting = new Set<() => void>();
  let stopped = false;

  return {
    async found<V>(id: string, look: () => V | null, ms: number): Promise<V | null> {
      if (stopped) return null;
      const now = look();
      if (now !== null) return now;
      const { promise, resolve, reject } = Promise.withResolvers<V | null>();
      const ends: (() => void)[] = [];
      const giveUp = (): void => resolve(null);
      const again = (isLast: boolean): void => {
        try {
          const value = look();
          if (value !== null || isLast) resolve(value);
        } catch (cause) {
          reject(cause as Error);
        }
      };
      const timer = setTimeout(() => again(true), ms);
      ends.push(
        () => clearTimeout(timer),
        commits.onCommit(({ entry }) => {
          if (entry.row.id === id) again(false);
        }),
        taken.on(() => again(false)),
        () => waiting.delete(giveUp),
      );
      waiting.add(giveUp);
      try {
        return await promise;
      } finally {
        for (const end of ends) end();
      }
    },
    stop() {
      stopped = true;
      for (const giveUp of waiting) giveUp();
    },
  };
}
