import type { Sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import type { KeyRef } from '../signer.ts';

/** A coin of the wallet, with the key that spends it. */
export interface WalletCoin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly key: KeyRef;
}
