import type { Preimage } from '../../domain/hash.ts';
import { hash160Of, sha256Of } from '../../legs/secret.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Entry } from '../../runtime/working-set.ts';

/** Stands for the id of a swap that nobody remembers. */
const forgotten = 'forgotten';

/**
 * Only a payment that is held for this very secret is settled by it: whatever else has 32 bytes opens nothing. A swap
 * that the database knows settles its own, once its own lock was claimed. The secret is kept before it is used, and
 * its hash opens no other swap.
 */
export async function settles(
  { runtime, log }: { readonly runtime: Runtime; readonly log: Log },
  secret: Preimage,
): Promise<boolean> {
  const { store } = runtime;
  const { lightning } = runtime.ports;
  if (lightning === null) return false;
  const hash = hash160Of(secret);
  const user = store.hashes.usedBy(hash);
  const swap = user === null || user === forgotten ? null : runtime.workingSet.readable(user);
  // Called off, or about to be, it settles nothing by itself.
  if (
    user !== null &&
    user !== forgotten &&
    (swap === null || !(isUngiven(swap) || swap.row.progress.at === 'stopped'))
  )
    return false;
  const state = await lightning.hold(sha256Of(secret));
  if (state.is === 'held') {
    store.atomically(() => {
      if (user === null) store.hashes.claim(hash, forgotten);
      store.preimages.keep(hash, secret, runtime.clock.now().wall);
    });
    await lightning.settle(secret);
    log.warn(
      { sats: String(state.amount) },
      'a payment was settled for a lock that the restored database does not know',
    );
  }
  return state.is === 'held' || state.is === 'settled';
}

/** Nothing was given for it when the copy was made: whatever lies at our lock of it was forgotten. */
export function isUngiven({ machine, row: { progress } }: Entry): boolean {
  return machine.notes?.includes('invoice') === true && (progress.at === 'opening' || progress.at === 'pending');
}
