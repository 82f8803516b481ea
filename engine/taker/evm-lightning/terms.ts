import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { EvmOrderTerms } from '../evm/terms.ts';
import type { Dealt, EvmSourceProgress } from '../evm-source/terms.ts';
import type { Opening } from '../opening.ts';
import type { LightningLeg, OrderTerms } from '../terms.ts';

/** Tokens of ours are locked on an EVM chain, and the provider pays an invoice for them. */
export interface TakeEvmLightningTerms extends OrderTerms, EvmOrderTerms {
  /** Most that is locked, in smallest units of the token. */
  readonly sourceAmount: bigint;
  readonly targetAmount: Sats;
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
}

export type TakeEvmLightningProgress =
  | Opening
  | EvmSourceProgress<LightningLeg>
  /** The provider took the lock with the preimage that proves the payment. */
  | ({ readonly at: 'paid'; readonly claimTxid: Txid } & Dealt<LightningLeg>);
