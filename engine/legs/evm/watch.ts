import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { EvmPurpose } from './acts.ts';
import type { LockTerms } from './swap-key.ts';
import type { WantedLocks } from './wanted-locks.ts';

/** What is looked at on an EVM chain while a swap needs it. */
export type EvmWatch =
  /**
   * Locks of this hash in this contract, from the height `since` on. What is wanted of them stays the same as long as
   * the swap is watched.
   */
  | {
      readonly on: 'evm-lock';
      readonly network: EvmNetwork;
      readonly htlc: EvmAddress;
      readonly hash: Sha256;
      readonly wanted: WantedLocks;
      readonly since: number;
      /**
       * False where what a lock is worth is within one RPC's word: while the others are silent that word counts for its
       * creation. Its end is sure by agreement alone, for nothing is lost by waiting for that.
       */
      readonly agreed?: boolean;
      /**
       * Those that the swap still knows of and, as far as it knows, nobody took: all that is asked about once its watch
       * is over.
       */
      readonly locks?: readonly LockTerms[];
    }
  /** A transaction of ours, under whatever fee it is mined. */
  | { readonly on: 'evm-sent'; readonly network: EvmNetwork; readonly purpose: EvmPurpose; readonly txid: Txid }
  /** What an account of the taker's holds for this swap, beside others that wait for tokens there. */
  | {
      readonly on: 'evm-balance';
      readonly network: EvmNetwork;
      readonly token: EvmAddress;
      readonly account: EvmAddress;
      readonly amount: bigint;
      /** The later it was ordered, the more. */
      readonly ordered: number;
      /** A signature of ours may be taking them at this moment. */
      readonly signed: boolean;
    };
