import type { PublicKey, Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import type { Lock, Raced, Refunding, Standing, TargetTerms } from '../vhtlc-target/terms.ts';

/**
 * Lightning to Arkade. The client pays a hold invoice, the service locks a VHTLC under the same hash, the client claims
 * it and so reveals the preimage, the service settles the held payment (facts/clients.md 2, facts/timelocks.md 6).
 *
 * Loses money when wrong: a VHTLC locked for a payment that is not held, or held for less time than the VHTLC lives; a
 * hold invoice cancelled while the VHTLC can still be claimed; a preimage seen and not used.
 */
export interface LightningArkadeTerms extends TargetTerms {
  readonly hash: Sha256;
  /** What the invoice asks for. */
  readonly sourceAmount: Sats;
  readonly feeSats: Sats;
  readonly networkFeeSats: Sats;
  readonly address: string;
  readonly serverKey: PublicKey;
  /** The client's claim key as it was sent, for the record. */
  readonly clientKeyText: string;
  readonly description: string;
  /** End of the funding window by our wall clock; the invoice itself says when it expires by its node's. */
  readonly fundBefore: Unix;
  /** Final CLTV delta of the hold invoice, in blocks. */
  readonly cltvDelta: number;
  /** The timeouts' relations as they were agreed. */
  readonly policy: TimeoutPolicy;
}

export interface Invoice {
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
}

export interface Locked extends Invoice, Lock {
  /** Lowest height at which an HTLC of the held payment times out; unknown of a swap that an earlier build locked. */
  readonly expiryHeight?: number;
}

export type LightningArkadeProgress =
  | { readonly at: 'opening' }
  /** Earlier builds waited here to cancel an invoice that nobody was given. */
  /** `taken`: its hash has another invoice at the Lightning node. */
  | { readonly at: 'unopened'; readonly reason: string; readonly taken?: true }
  | ({ readonly at: 'pending' } & Invoice)
  | ({ readonly at: 'expiring' } & Invoice)
  | ({ readonly at: 'expired' } & Invoice)
  | ({ readonly at: 'held'; readonly expiryHeight: number } & Invoice)
  | ({ readonly at: 'locking'; readonly expiryHeight: number } & Locked)
  | Standing<Locked>
  | Refunding<Locked>
  | ({ readonly at: 'refunded'; readonly refundTxid: Txid } & Locked)
  | ({ readonly at: 'returned'; readonly refundTxid: Txid } & Locked)
  | ({ readonly at: 'claimed'; readonly claimTxid: Txid | null } & Locked & Raced)
  | ({ readonly at: 'settled'; readonly claimTxid: Txid | null } & Locked & Raced)
  /** The client has the VHTLC and its payment went back. */
  | ({ readonly at: 'lost'; readonly claimTxid: Txid | null } & Locked & Raced)
  | ({ readonly at: 'declining'; readonly reason: string } & Invoice)
  | ({ readonly at: 'declined'; readonly reason: string } & Invoice);

/** The part of a state that stays the swap's once its invoice exists. */
export function invoiceOf(p: Invoice): Invoice {
  return { bolt11: p.bolt11, invoiceExpiresAt: p.invoiceExpiresAt };
}

/** The part of a state that stays the swap's once a VHTLC is locked. */
export function lockOf(p: Locked): Locked {
  return { ...invoiceOf(p), lock: p.lock, ...(p.expiryHeight === undefined ? {} : { expiryHeight: p.expiryHeight }) };
}
