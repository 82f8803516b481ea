import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Unix } from '../../domain/time.ts';
import type { EvmLeg, EvmOrderTerms } from '../evm/terms.ts';
import type { Opening } from '../opening.ts';
import type { Deal, LightningLeg, OrderTerms } from '../terms.ts';

/** Tokens of ours are locked on an EVM chain, and the provider pays an invoice for them. */
export interface TakeEvmLightningTerms extends OrderTerms, EvmOrderTerms {
  /** Most that is locked, in smallest units of the token. */
  readonly sourceAmount: bigint;
  readonly targetAmount: Sats;
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
}

export interface Dealt {
  readonly deal: Deal<EvmLeg, LightningLeg>;
  /** The last word of the provider: it may only ever lead to asking for a refund. */
  readonly said: SwapStatus;
  /** Our lock as the chain has it: it holds what the coordinator held, which whoever sent it a coin made more than was agreed. */
  readonly made: { readonly txid: Txid; readonly amount: bigint } | null;
  /** Until then, by the chain's clock, our tokens may be locked by a signature that we gave; null while none was given. */
  readonly signedUntil: Unix | null;
}

/** `notBefore`: something did not work for this reason, and is not tried again before. */
interface Pausing {
  readonly notBefore: Unix | null;
  readonly declined: string | null;
}

export type TakeEvmLightningProgress =
  | Opening
  /** Our account does not hold the tokens yet. */
  | ({ readonly at: 'waiting' } & Pausing & Dealt)
  /** Our signature was given. */
  | ({
      readonly at: 'funding';
      readonly by: 'provider' | 'node';
      readonly signedUntil: Unix;
      readonly sent: Txid | null;
    } & Dealt)
  /** Our lock stands. */
  | ({ readonly at: 'locked' } & Pausing & Dealt)
  /** The provider is asked to give it back before its timelock. */
  | ({ readonly at: 'asking' } & Dealt)
  /** From the timelock on nobody is needed. */
  | ({ readonly at: 'refunding'; readonly sent: Txid | null } & Dealt)
  /** The provider took the lock with the preimage that proves the payment. */
  | ({ readonly at: 'paid'; readonly claimTxid: Txid } & Dealt)
  | ({ readonly at: 'refunded'; readonly refundTxid: Txid } & Dealt)
  /** Never locked, and too late to be. */
  | ({ readonly at: 'lapsed' } & Dealt);

export function dealtOf(p: Dealt): Dealt {
  return { deal: p.deal, said: p.said, made: p.made, signedUntil: p.signedUntil };
}
