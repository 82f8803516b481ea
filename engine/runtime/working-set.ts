import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import type { SwapRow } from '../store/swaps.ts';
import type { Machine } from '../swap/machine.ts';

// A machine is only ever given the terms and progress that the store kept for it under its name.
export type AnyMachine = Machine<unknown, { readonly at: string }>;

export interface Entry {
  readonly row: SwapRow;
  readonly machine: AnyMachine;
}

export type NewSwap = Omit<SwapRow, 'termsVersion' | 'progressVersion'>;

/** What differs between rows that begin; one that was found again is newer than its swap. */
type Begun = Pick<NewSwap, 'id' | 'machine' | 'createdAt' | 'status' | 'valueSats' | 'terms' | 'progress'> &
  Partial<Pick<NewSwap, 'userId' | 'updatedAt'>>;

/** The row of a swap or a job that begins. */
export function newRow({ updatedAt, userId, ...begun }: Begun): NewSwap {
  return {
    ...begun,
    updatedAt: updatedAt ?? begun.createdAt,
    userId: userId ?? null,
    version: 0,
    open: true,
    flag: null,
  };
}

function versionsOf({ shape }: AnyMachine): Pick<SwapRow, 'termsVersion' | 'progressVersion'> {
  return { termsVersion: shape.terms.version, progressVersion: shape.progress.version };
}

/** The open swaps, in memory as they are on disk. Everything periodic walks this and nothing else. */
export function createWorkingSet(store: Store, machines: readonly AnyMachine[]) {
  const byName = new Map(machines.map((machine) => [machine.name, machine]));
  const entries = new Map<string, Entry>();
  const unread = new Set<string>();
  const tallies: ((entry: Entry, sign: 1n | -1n) => void)[] = [];

  /** Whatever is open changes by this alone. */
  function put(id: string, entry: Entry | null): void {
    const before = entries.get(id);
    if (before !== undefined) for (const count of tallies) count(before, -1n);
    if (entry === null) entries.delete(id);
    else entries.set(id, entry);
    if (entry !== null) for (const count of tallies) count(entry, 1n);
  }

  function machineOf(row: Pick<SwapRow, 'id' | 'machine'>): AnyMachine {
    const machine = byName.get(row.machine);
    if (machine === undefined)
      throw new Error(`swap ${row.id} is of the direction ${row.machine}, which this build does not know`);
    return machine;
  }

  /** Throws for a row that is not of the form which its machine knows, or once knew. */
  function read(row: SwapRow): Entry {
    const machine = machineOf(row);
    const { terms, progress } = machine.shape;
    return {
      row: {
        ...row,
        terms: terms.read(row.terms, row.termsVersion),
        progress: progress.read(row.progress, row.progressVersion),
        ...versionsOf(machine),
      },
      machine,
    };
  }

  return {
    machines,
    load(onUnread: (id: string, cause: unknown) => void): void {
      for (const id of store.swaps.openIds()) {
        try {
          const row = store.swaps.byId(id);
          if (row === null) continue;
          const entry = read(row);
          // What no machine can make anything of is as good as damaged.
          entry.machine.watches(entry.row.terms, entry.row.progress);
          entry.machine.deadline(entry.row.terms, entry.row.progress);
          put(id, entry);
        } catch (cause) {
          unread.add(id);
          onUnread(id, cause);
        }
      }
    },
    /** From memory while open, else from the store. */
    find(id: string): Entry | null {
      const open = entries.get(id);
      if (open !== undefined) return open;
      const row = store.swaps.byId(id);
      return row === null ? null : read(row);
    },
    /** Null also for one that cannot be read: where others stand beside it in a list. */
    readable(id: string): Entry | null {
      if (unread.has(id)) return null;
      try {
        return this.find(id);
      } catch (cause) {
        if (isStorageFailure(cause)) throw cause;
        return null;
      }
    },
    /** A swap as it is saved at first: in the forms of this build. */
    fresh(row: NewSwap): SwapRow {
      return { ...row, ...versionsOf(machineOf(row)) };
    },
    /** A swap of the form that its machine writes, saved or about to be. */
    entryOf(row: SwapRow): Entry {
      return { row, machine: machineOf(row) };
    },
    /** Open swaps that are left as they are. */
    unread: (): ReadonlySet<string> => unread,
    /** What was saved a moment ago. */
    keep(row: SwapRow): Entry {
      const entry = { row, machine: machineOf(row) };
      put(row.id, row.open ? entry : null);
      return entry;
    },
    /** Puts memory back to what it has of a swap now. */
    memoryOf(id: string): () => void {
      const before = entries.get(id) ?? null;
      return () => put(id, before);
    },
    /** Reads a swap again; what cannot be read stays as it is, and in the list of those that are open. */
    reread(id: string): void {
      const row = store.swaps.byId(id);
      put(id, row?.open === true ? read(row) : null);
    },
    /**
     * Values of what is open by whatever each counts towards, summed as it changes: whoever makes thousands of swaps
     * would else have all of them walked for each. `towards` goes by nothing but the entry.
     */
    tally(towards: (entry: Entry) => readonly string[]): (key: string) => bigint {
      const sums = new Map<string, bigint>();
      const count = (entry: Entry, sign: 1n | -1n): void => {
        for (const key of towards(entry)) sums.set(key, (sums.get(key) ?? 0n) + sign * entry.row.valueSats);
      };
      for (const entry of entries.values()) count(entry, 1n);
      tallies.push(count);
      return (key) => sums.get(key) ?? 0n;
    },
    all(): IterableIterator<Entry> {
      return entries.values();
    },
    get size(): number {
      return entries.size;
    },
  };
}

export type WorkingSet = ReturnType<typeof createWorkingSet>;
