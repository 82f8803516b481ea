import type { Preimage } from '../../domain/hash.ts';
import { hash160Of, sha256Of } from '../../legs/secret.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Entry } from '../../runtime/working-set.ts';

/** Stands for the id of a swap that nobody remembers. */
export const forgotten = 'forgotten';

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
  if (user !== null && user !== forgotten && mayHold(runtime.workingSet.readable(user))) return false;
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

/**
 * Whether a swap of the hash settles a payment by itself. Called off, or about to be, it does not; nor does one that no
 * payment is held for, which anybody may have made since (facts/faults.md 225).
 */
function mayHold(swap: Entry | null): boolean {
  if (swap === null) return true;
  return holds(swap) && !isUngiven(swap) && swap.row.progress.at !== 'stopped';
}

function holds({ machine }: Entry): boolean {
  return machine.notes?.includes('invoice') === true;
}

/** Nothing was given for it when the copy was made: whatever lies at our lock of it was forgotten. */
export function isUngiven(swap: Entry): boolean {
  const { at } = swap.row.progress;
  return holds(swap) && (at === 'opening' || at === 'pending');
}
