import type { Preimage } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { OnChainCoin } from './vtxo.ts';

/** What a transaction takes from a VHTLC and by which leaf. */
export type VhtlcSpend =
  /**
   * `unsigned`: the preimage is there and the receiver's signature is not; who has the coin is then the operator's
   * word.
   */
  | { readonly leaf: 'claim'; readonly preimage: Uint8Array; readonly unsigned?: true }
  /** The receiver's claim with a secret of another length than 32 bytes, which opens nothing but this coin. */
  | { readonly leaf: 'off-length' }
  | { readonly leaf: 'refund' }
  | { readonly leaf: 'refund-without-receiver' };

/**
 * A signed transaction that nobody has seen. `bytes` is opaque to everybody but the port that made it, holds a
 * preimage when it is a claim, and must be saved with `inputs` reserved before `submit` is called.
 */
export interface PreparedArkTx {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
  readonly inputs: readonly Outpoint[];
  /** The output that pays the script asked for. */
  readonly output: Outpoint & { readonly amount: Sats };
  /** The outputs that pay the node's own wallet: change, or a claim. */
  readonly own: readonly OnChainCoin[];
}

/** Where a prepared transaction stands with the operator: `unknown` is no answer, `accepted` awaits `finalize`. */
export type ArkTxState = 'unseen' | 'accepted' | 'final' | 'unknown';

export type SubmitAnswer =
  /** Accepted; `bytes` replaces the prepared bytes, is saved, then given to `finalize`. */
  | { readonly is: 'accepted'; readonly bytes: Uint8Array }
  | { readonly is: 'final' }
  /** An input is gone to another transaction for good. */
  | { readonly is: 'spent' }
  /**
   * Refused for a reason that time can heal: locked by median time past, registered by someone, banned. `seconds` may
   * be a fraction; null where a block heals it, ours or the operator's, and no clock on a wall says when that comes.
   * `alarm`: a person should know, for it does not happen by itself.
   */
  | { readonly is: 'later'; readonly reason: string; readonly seconds: number | null; readonly alarm?: true }
  /** Another party's claim of an input waits for a batch and shows this preimage: of an expired coin nowhere else. */
  | { readonly is: 'claimed'; readonly coin: Outpoint; readonly preimage: Preimage }
  /** An input became recoverable: the same spend must go through a batch. */
  | { readonly is: 'recoverable' }
  /** An input lies on the chain, and is spent there or not at all. */
  | { readonly is: 'unrolled' }
  | { readonly is: 'refused'; readonly reason: string };
