import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { EvmPurpose } from './acts.ts';

/** What is looked at on an EVM chain while a swap needs it. */
export type EvmWatch =
  /** Locks of this hash in this contract that our account, or one of `parties`, may claim or be refunded, from the height `since` on. */
  | {
      readonly on: 'evm-lock';
      readonly network: EvmNetwork;
      readonly htlc: EvmAddress;
      /** Asked for the depositor of a lock that is refunded to it. */
      readonly coordinator: EvmAddress;
      readonly hash: Sha256;
      /** Of a swap that is not our account's: whose locks it is told of beside ours. */
      readonly parties?: readonly EvmAddress[];
      readonly since: number;
      /**
       * False where what a lock is worth is within one RPC's word: while the others are silent that word counts for its creation. Its end
       * is sure by agreement alone, for nothing is lost by waiting for that.
       */
      readonly agreed?: boolean;
    }
  /** A transaction of ours, under whatever fee it is mined. */
  | { readonly on: 'evm-sent'; readonly network: EvmNetwork; readonly purpose: EvmPurpose; readonly txid: Txid }
  /** What an account of the taker's holds. */
  | {
      readonly on: 'evm-balance';
      readonly network: EvmNetwork;
      readonly token: EvmAddress;
      readonly account: EvmAddress;
    };
