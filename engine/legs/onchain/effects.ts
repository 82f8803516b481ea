import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { BumpRequest, WalletCoin } from './wallet-port.ts';

/** What a machine asks of the Bitcoin chain and of the wallet on it. */
export type OnchainEffect =
  /** Keeps a prepared transaction on the chain until it is buried; `spends` is an input of it, by which its rivals are known, and `amount` what all its inputs hold. Capped, it pays no more before `raiseFrom`. */
  | {
      readonly do: 'onchain.broadcast';
      readonly txid: Txid;
      readonly spends: Outpoint;
      readonly amount: Sats;
      readonly rate: number;
      readonly capped: boolean;
      readonly raiseFrom?: Unix;
      readonly since: number;
    }
  /**
   * Pays out of the Bitcoin wallet, at a fee of at most `mostFee`: prepares, and sends nothing. `earlier`: the coins of payments of the same sats that were
   * signed before and are held for dead, each of which the new one stays in conflict with.
   */
  | {
      readonly do: 'onchain.send';
      readonly script: Uint8Array;
      readonly amount: Sats;
      readonly mostFee?: Sats;
      readonly doubted?: boolean;
      readonly earlier?: readonly (readonly WalletCoin[])[];
    }
  /** Prepares the same payment again, from the same coins, at a fee of at most `mostFee`. */
  | ({ readonly do: 'onchain.bump' } & BumpRequest);

/** What a transaction on the chain does: it takes coins home from Arkade, or pays out of the Bitcoin wallet, once or again at a higher fee. */
export type OnchainPurpose = 'claim' | 'refund' | 'exit' | 'send' | 'bump';
