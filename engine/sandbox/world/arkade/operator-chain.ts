import type { Outpoint } from '../../../domain/outpoint.ts';

/** Where transactions of the operator appear when somebody, or the operator itself, puts them on the chain. */
export interface OperatorChain {
  /** Into the next block, unchecked: the coins of the operator's own wallet are played. */
  include(transactions: readonly Uint8Array[]): void;
  /** An output that nothing spends, with the height null while it waits in the mempool. */
  coin(
    outpoint: Outpoint,
  ): { readonly amount: bigint; readonly script: Uint8Array; readonly height: number | null } | undefined;
  at(height: number): { readonly time: number } | undefined;
}
