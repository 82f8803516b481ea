import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { WalletCoin } from './wallet-coin.ts';

/** A child of a payment of ours that waits, paid from its change. */
export interface CpfpRequest {
  readonly change: WalletCoin;
  readonly parent: { readonly fee: Sats; readonly size: number };
  /** Sats per virtual byte that both together are to pay. */
  readonly rate: number;
  /** Of the child alone. */
  readonly mostFee: Sats;
  /** The fee of the child before, in whose place this one comes; null for the first. */
  readonly replaces: Sats | null;
}

/** A child that pays for its parent, signed and not sent. */
export interface PreparedCpfp {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
  readonly fee: Sats;
  /** Sats per virtual byte of both together. */
  readonly rate: number;
  readonly capped: boolean;
}

/** A child that pays for a transaction of somebody else, which pays nothing itself. */
export interface AnchorChildRequest {
  readonly parent: Uint8Array;
  readonly reserved: readonly Outpoint[];
  /** Sats per virtual byte that both together are to pay. */
  readonly rate: number;
  /** Of the child, all of whose fee is for both. */
  readonly mostFee: Sats;
  /** The coins and the fee of the child before, in whose place this one comes; null for the first. */
  readonly replaces: { readonly coins: readonly Outpoint[]; readonly fee: Sats } | null;
}

export interface PreparedAnchorChild extends PreparedCpfp {
  readonly coins: readonly Outpoint[];
}
