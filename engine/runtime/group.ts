import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';

interface Change {
  /** Answers how whoever asked is told. */
  readonly run: () => () => void;
  readonly reject: (cause: unknown) => void;
}

/** A move that memory has already and that nobody was told of. */
interface Move {
  /** Memory is as it was before; it asks no disk, which may fail at reading too. */
  readonly undo: () => void;
  /** Throws nothing: others are told after it. */
  readonly tell: () => void;
}

/** Milliseconds of one transaction: what does not fit in it goes into the next one, in a turn of its own. */
const mostMs = 5;
/** Whatever they take. */
const least = 16;

/**
 * One transaction for all that is asked for in one turn of the event loop: a sync to the disk costs as much for twenty
 * swaps as for one. It begins and ends in one go, without an await, as every commit does.
 */
export function createGroup(store: Pick<Store, 'atomically'>) {
  let changes: Change[] = [];
  let untold: Move[] | null = null;

  function alone({ run, reject }: Change): void {
    try {
      run()();
    } catch (cause) {
      reject(cause);
    }
  }

  /** Memory is never ahead of the disk when others look. */
  function undoAll(moves: readonly Move[]): void {
    for (const { undo } of moves.toReversed()) undo();
  }

  /** What it throws undoes its own part, but for the disk's trouble, which undoes everybody's. */
  function within(moves: Move[], { run, reject }: Change): () => void {
    const before = moves.length;
    try {
      return store.atomically(run);
    } catch (cause) {
      if (isStorageFailure(cause)) throw cause;
      undoAll(moves.splice(before));
      return () => reject(cause);
    }
  }

  /** As many of them as there is time for. */
  function doSome(moves: Move[], all: readonly Change[]): (() => void)[] {
    const begun = performance.now();
    const outcomes: (() => void)[] = [];
    for (const one of all) {
      if (outcomes.length >= least && performance.now() - begun > mostMs) break;
      outcomes.push(within(moves, one));
    }
    return outcomes;
  }

  /** There was no time for them: they come before what was asked for since. */
  function nextTurn(rest: readonly Change[]): void {
    if (rest.length === 0) return;
    if (changes.length === 0) setImmediate(doAll);
    changes = [...rest, ...changes];
  }

  /** False when nothing was saved; what there was no time for is left out of `all`. */
  function saved(all: Change[]): boolean {
    const moves: Move[] = [];
    untold = moves;
    let outcomes: readonly (() => void)[];
    try {
      outcomes = store.atomically(() => doSome(moves, all));
    } catch {
      undoAll(moves);
      return false; // each is done alone, and fails with its own cause
    } finally {
      untold = null;
    }
    nextTurn(all.splice(outcomes.length));
    for (const { tell } of moves) tell();
    for (const outcome of outcomes) outcome();
    return true;
  }

  function doAll(): void {
    const all = changes;
    changes = [];
    try {
      if (all.length === 1 || !saved(all)) all.forEach(alone);
    } catch (cause) {
      for (const { reject } of all) reject(cause);
    }
  }

  return {
    /** Several share a transaction now: a storage failure is the group's. */
    get open(): boolean {
      return untold !== null;
    },
    /** Tells of a move at once, or when the group that it belongs to is durable. */
    keep(move: Move): void {
      if (untold === null) move.tell();
      else untold.push(move);
    },
    together<T>(work: () => T): Promise<T> {
      return new Promise((resolve, reject) => {
        changes.push({
          run() {
            const value = work();
            return () => resolve(value);
          },
          reject,
        });
        if (changes.length === 1) setImmediate(doAll);
      });
    },
  };
}
