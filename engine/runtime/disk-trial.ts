import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import type { SwapStep } from '../swap/machine.ts';
import type { Entry, WorkingSet } from './working-set.ts';

/** Something that happened and could not be saved. */
export interface Unsaved {
  readonly swap: string;
  /** The same for the same news about a swap, which every poll may bring again. */
  readonly key: string;
  readonly retry: () => unknown;
  /** What the machine wants to come of it, null when nothing. */
  readonly step: SwapStep<unknown> | null;
}

/** Where a commit is saved, and who hears that it was not. */
export interface Disk {
  readonly store: Store;
  readonly workingSet: WorkingSet;
  /** A save failed: the guard stops new swaps; what was to be done is tried again. */
  readonly onSaveFailed: (cause: unknown, what: Unsaved) => void;
}

/** Tells that the disk fails, and looks each second whether it takes the swap as it is. */
export function tryDisk(own: Disk, { row: { id } }: Entry, key: string, cause: unknown): void {
  const retry = (): void => {
    try {
      const entry = own.workingSet.find(id);
      if (entry !== null) own.workingSet.keep(own.store.atomically(() => own.store.swaps.update(entry.row)));
    } catch (again) {
      if (!isStorageFailure(again)) throw again;
      own.onSaveFailed(again, { swap: id, key, retry, step: null });
    }
  };
  own.onSaveFailed(cause, { swap: id, key, retry, step: null });
}

/** Tells that no swap can be opened, and looks each second whether the disk takes anything (facts/faults.md 313). */
export function tryRoom(own: Disk, swap: string, cause: unknown): void {
  const { settings } = own.store;
  const retry = (): void => {
    try {
      own.store.atomically(() => {
        settings.put('room', true);
        settings.remove('room');
      });
    } catch (again) {
      if (!isStorageFailure(again)) throw again;
      tryRoom(own, swap, again);
    }
  };
  own.onSaveFailed(cause, { swap, key: 'room', retry, step: null });
}
