import type { WalletIndexes } from '../adapters/bitcoin/wallet-coins.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';

/** What the Bitcoin wallet remembers, in the database. */
export function bitcoinIndexes({ counters, chainCoins }: Pick<Store, 'counters' | 'chainCoins'>): WalletIndexes {
  return {
    taken: (branch) => counters.peek(branch),
    take: (branch, floor) => counters.take(branch, floor),
    isUnsaved: isStorageFailure,
    onSeen: (coins, forgotten) => chainCoins.saw(coins, forgotten),
  };
}
