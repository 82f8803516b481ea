import type { WalletBranch, WalletIndexes } from '../../engine/adapters/bitcoin/wallet-coins.ts';

/** Indexes of a Bitcoin wallet that last as long as the process. */
export function memoryIndexes(): WalletIndexes {
  const next: Record<WalletBranch, number> = { 'bitcoin-deposit': 0, 'bitcoin-change': 0 };
  return {
    taken: (branch) => next[branch],
    take(branch, floor) {
      next[branch] = Math.max(next[branch] + 1, floor + 1);
      return next[branch] - 1;
    },
  };
}
