import type { Store } from '../../store/store.ts';

/**
 * Why nothing more is given for a swap; null where nothing speaks against it. A database that was restored from a
 * backup forgot which refunds were signed since: what a client holds of ours it may use any day, also after it has what
 * we gave (facts/faults.md 5).
 */
export function refundInDoubt({ intents }: Pick<Store, 'intents'>, subject: string): string | null {
  return intents.has('refund', subject)
    ? 'the database was restored from a backup, and the refund of this swap may have been signed since: ask for it'
    : null;
}
