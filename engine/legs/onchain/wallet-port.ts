import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { KeyRef } from '../signer.ts';

/** A coin of the wallet, with the key that spends it. */
export interface WalletCoin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly key: KeyRef;
}

/** A payment out of the wallet, signed and not sent. Prepared again over the same coins it replaces itself (BIP-125). */
export interface PreparedSend {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
  readonly coins: readonly WalletCoin[];
  /** What comes back to the wallet, at the second output; null when it would be dust. */
  readonly change: { readonly amount: Sats; readonly key: KeyRef } | null;
  readonly fee: Sats;
  /** Sats per virtual byte. */
  readonly rate: number;
  /** It pays as much as it ever can: nothing is left to raise the fee from. */
  readonly capped: boolean;
}

/** What is kept of it beside the bytes. */
export type SavedSend = Omit<PreparedSend, 'bytes'>;

export interface SendRequest {
  readonly script: Uint8Array;
  readonly amount: Sats;
  /** Coins that are promised to transactions already. */
  readonly reserved: readonly Outpoint[];
  /** Above it nothing is prepared; left out where whoever asks has judged the fee. */
  readonly mostFee?: Sats;
  /** No fee above three times what a second source asks, where one answers. */
  readonly doubted?: boolean;
  /** Coins that it spends in any case, before all others: by them it is in conflict with a payment that it replaces. */
  readonly keep?: readonly WalletCoin[];
}

export interface BumpRequest {
  readonly script: Uint8Array;
  readonly amount: Sats;
  /** What it replaces: the same coins, more of them to the miner. */
  readonly replaces: Pick<SavedSend, 'coins' | 'change' | 'fee'>;
  /** Sats per virtual byte that it must pay at least; 0 asks for what the chain wants now, which may be less than before. */
  readonly leastRate: number;
  readonly mostFee: Sats;
  /** No fee above three times what a second source asks, where one answers. */
  readonly doubted?: boolean;
}

export interface BitcoinBalance {
  /** In confirmed coins. */
  readonly available: Sats;
  /** In coins that wait for their first confirmation. */
  readonly pending: Sats;
}

/**
 * The owner's coins on the Bitcoin chain. Reading is safe to repeat. Both preparations are *prepare*: they choose, sign and
 * send nothing, and what they choose is nobody's until a commit reserves it. They reject with a `PortFailure`:
 * `no-coins` (safe) when the confirmed coins do not suffice, `dust` and `no-room` (never) when no transaction could,
 * `too-dear` (never) when it would cost more than allowed.
 */
export interface BitcoinWalletPort {
  /** One that was not paid yet, as far as the chain shows. */
  address(): Promise<string>;
  balance(reserved: readonly Outpoint[]): Promise<BitcoinBalance>;
  prepareSend(request: SendRequest): Promise<PreparedSend>;
  prepareBump(request: BumpRequest): Promise<PreparedSend>;
}
