import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import type {
  Claiming,
  Deposited,
  EvmSourceTerms,
  Lapsed,
  Left,
  Pending,
  Refunded,
  Seen,
  Stopped,
} from '../evm-source/terms.ts';
import type { Late } from '../payment.ts';

/**
 * EVM to Lightning. The client locks a BTC-pegged token to the payment hash of an invoice, by itself or by a signature that
 * we relay; once the lock is buried the service pays the invoice, and the preimage that the payment reveals claims the lock
 * (facts/clients.md 2).
 *
 * Loses money when wrong: a payment started for a lock that is short, shallow, gone, or refundable before it can be claimed;
 * a refund signed while the payment may still settle; a claim given up after the payment settled.
 */
export interface EvmLightningTerms extends EvmSourceTerms {
  /** What the invoice pays. */
  readonly targetAmount: Sats;
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
  /** Most that routing may cost: fee and network fee of the swap, never on top of them. */
  readonly maxFeeMsat: bigint;
  /** Height given to the Lightning node as the end of every HTLC of the payment. */
  readonly maxTimeoutHeight: number;
  readonly finalCltv: number;
  /** Two RPCs must agree on the lock before it is paid for. */
  readonly agreed: boolean;
  readonly policy: TimeoutPolicy;
}

export type EvmLightningProgress =
  | Pending
  | Seen
  | (Deposited & { readonly at: 'funded' })
  | (Deposited & Late & { readonly at: 'paying' })
  | Claiming
  | (Deposited & Left & { readonly at: 'claimed'; readonly claimTxid: Txid })
  /** The client took the lock back after the payment settled. */
  | (Deposited & Left & { readonly at: 'lost' })
  | (Stopped & Late)
  | Lapsed
  | (Refunded & Late);
