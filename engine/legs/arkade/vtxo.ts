import type { XOnly } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';

/** A coin as the operator's indexer tells it, spent or not. */
export interface Vtxo {
  readonly outpoint: Outpoint;
  readonly script: Uint8Array;
  readonly amount: Sats;
  readonly createdAt: Unix;
  /** Past this moment, by wall clock, timelocks of the script protect nobody (facts/arkade.md 26). */
  readonly expiresAt: Unix;
  /** Swept, or past its expiry: only a batch can move it. */
  readonly recoverable: boolean;
  readonly unrolled: boolean;
  /** Present when it hangs on transactions that no batch has taken yet, of others for one. */
  readonly preconfirmed?: true;
  /** The commitment transaction of the batch that made it, where one did. */
  readonly batch?: Txid;
  readonly spent: boolean;
  /** The Arkade transaction that spends it, also while that one is not final; null when a batch did. */
  readonly spentIn: Txid | null;
  /** The checkpoint or forfeit transaction of the spend; null for a recoverable coin that a batch took. */
  readonly spentBy: Txid | null;
  /** The commitment transaction of the batch that took it. */
  readonly settledBy: Txid | null;
}

/** The two parts of a script of the node's own wallet that are not its key: an operator changes both. */
export interface WalletTerms {
  readonly signer: XOnly;
  /** After which the coin is ours alone on the chain; below 512 blocks, else seconds. */
  readonly exitDelay: number;
}

/** A coin of the node's own wallet. */
export interface WalletVtxo extends Vtxo {
  /** Under a signer that is not the operator's present one, or a delay shorter than its present one. */
  readonly old: boolean;
  /** Its delay is shorter than the operator's present one, which may therefore refuse it in any batch. */
  readonly tooShort?: true;
  readonly under: WalletTerms;
}

/** A coin of the node's own wallet that lies on the chain. */
export interface OnChainCoin extends WalletTerms {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
}
