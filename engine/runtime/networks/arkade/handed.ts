import { outpointKey, type Outpoint } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import { withPayout, type BatchPayout } from '../../../legs/arkade/batch.ts';
import { isStorageFailure } from '../../../store/failure.ts';
import type { Store } from '../../../store/store.ts';
import type { ArkadeContext } from './context.ts';

const forgottenKey = 'handed-forgotten';

interface Forgotten {
  readonly swaps: readonly string[];
  readonly until: Unix;
}

/** The coins of these swaps may have been handed until now to batches that a restored copy does not know. */
export function forgetHanded(forgotten: Forgotten, { settings }: Pick<Store, 'settings'>): void {
  settings.put(forgottenKey, forgotten);
}

/**
 * Until when what the coins of a swap were handed over for may have gone with a newer database (facts/faults.md 349);
 * null where this one has it all.
 */
export function handedForgottenUntil(swap: string, { settings }: Pick<Store, 'settings'>): Unix | null {
  const forgotten = settings.get<Forgotten>(forgottenKey);
  return forgotten?.swaps.includes(swap) === true ? forgotten.until : null;
}

/**
 * What a coin of a VHTLC was handed to batches for, saved before it was, and which coin it came to. Without the first a
 * batch that has the coin is somebody else's; without the second one payment would stand for any number of coins
 * (facts/faults.md 349). What no disk takes the port remembers while this process lives.
 */
export function handedCoin(coin: Outpoint, { store }: Pick<ArkadeContext, 'store'>) {
  const own = outpointKey(coin);
  const key = `handed ${own}`;
  const creditKey = (paid: Outpoint): string => `batch-paid ${outpointKey(paid)}`;
  const begun = (): readonly BatchPayout[] => store.settings.get<readonly BatchPayout[]>(key) ?? [];
  return {
    begun,
    begin(payout: BatchPayout): void {
      try {
        store.settings.put(key, withPayout(begun(), payout));
      } catch (cause) {
        if (!isStorageFailure(cause)) throw cause;
      }
    },
    isFree: (paid: Outpoint): boolean => (store.settings.get<string>(creditKey(paid)) ?? own) === own,
    /** In the commit that ends its swap's way with it. */
    credit(paid: Outpoint, open: Pick<Store, 'settings'>): void {
      open.settings.put(creditKey(paid), own);
    },
  };
}
