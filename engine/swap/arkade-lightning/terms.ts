import type { PublicKey, Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import { move, type Step } from '../machine.ts';
import type { Late } from '../payment.ts';
import type { StoppedFor, Stray } from '../source.ts';
import {
  stopped,
  type Claiming,
  type Funded,
  type Lapsed,
  type Pending,
  type Refunded,
  type SourceTerms,
  type Stopped,
  type Unwatched,
} from '../vhtlc-source/terms.ts';

/**
 * Arkade to Lightning. The client funds a VHTLC locked to the payment hash of an invoice; once the coin is good the
 * service pays the invoice, and the preimage that the payment reveals claims the VHTLC (facts/clients.md 2).
 *
 * Loses money when wrong: a payment started for a coin that is short, gone, or expires before it can be claimed; a
 * refund cosigned while the payment may still settle; a claim given up after the payment settled.
 */
export interface ArkadeLightningTerms extends SourceTerms {
  /** The invoice's payment hash. */
  readonly hash: Sha256;
  /** What the invoice pays. */
  readonly targetAmount: Sats;
  readonly address: string;
  readonly serverKey: PublicKey;
  /** The client's refund key as it was sent, for the record. */
  readonly clientKeyText: string;
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
  /** Most that routing may cost: fee and network fee of the swap, never on top of them. */
  readonly maxFeeMsat: bigint;
  /** Height given to the Lightning node as the end of every HTLC of the payment. */
  readonly maxTimeoutHeight: number;
  /** No payment is started after this moment of our wall clock; whether it is safe is judged by the chain's. */
  readonly payBefore: Unix;
  readonly finalCltv: number;
  readonly policy: TimeoutPolicy;
}

export type ArkadeLightningProgress =
  | Pending
  | ({ readonly at: 'funded' } & Funded)
  | ({ readonly at: 'paying' } & Funded & Late)
  | Claiming
  | ({ readonly at: 'claimed'; readonly claimTxid: Txid | null } & Funded & Unwatched)
  /** The client left with the coin after the payment settled. */
  | ({ readonly at: 'lost' } & Funded & Unwatched)
  | (Stopped & Late)
  | Lapsed
  | (Refunded & Late);

/** No payment will be made: what lies at the address is the client's to take back. */
export function stop(
  why: StoppedFor,
  reason: string,
  strays: readonly Stray[],
  late: Late = {},
): Step<ArkadeLightningProgress> {
  return move<ArkadeLightningProgress>({ ...stopped(why, reason, false, strays), ...late });
}
