import type { Asset } from '../../domain/money.ts';
import type { Store } from '../../store/store.ts';

export interface LedgerSum extends Asset {
  readonly kind: string;
  /** Smallest units as the ledger keeps them, never negative. */
  readonly earned: bigint;
  readonly paid: bigint;
}

/** Rows of one look: after a long silence the sums are a little behind for some looks, and no look takes long. */
const mostRows = 2_000;

/**
 * What the ledger was given since the start, in sums: each row is read once, so that a look costs what is new and not
 * what is old.
 */
export function createLedgerSums({ ledger }: Pick<Store, 'ledger'>) {
  let last = ledger.lastId();
  const sums = new Map<string, LedgerSum>();
  return {
    read(): readonly LedgerSum[] {
      for (const { id, kind, network, asset, amount } of ledger.after(last, mostRows)) {
        const key = `${kind} ${network} ${asset}`;
        const { earned, paid } = sums.get(key) ?? { earned: 0n, paid: 0n };
        sums.set(key, {
          kind,
          network,
          asset,
          earned: earned + (amount > 0n ? amount : 0n),
          paid: paid + (amount < 0n ? -amount : 0n),
        });
        last = id;
      }
      return [...sums.values()];
    },
  };
}
