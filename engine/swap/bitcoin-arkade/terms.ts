import type { Hash160, PublicKey } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import type {
  Claiming,
  Funded,
  Lapsed,
  OnchainSourceTerms,
  Pending,
  Refunded,
  Seen,
  Stopped,
  Unwatched,
} from '../onchain-source/terms.ts';
import { fundedOf } from '../onchain-source/terms.ts';
import type { Lock, Raced, Refunding, Standing, TargetTerms } from '../vhtlc-target/terms.ts';

/**
 * Bitcoin to Arkade. The client pays an HTLC on the Bitcoin chain, the service locks a VHTLC under the same hash, the client claims it and
 * so reveals the secret, the service claims the bitcoin with it (facts/clients.md 2, facts/onchain.md 2).
 *
 * Loses money when wrong: a VHTLC locked for a coin that is in no block, or is the client's again before the VHTLC is surely ours
 * or claimed; a bitcoin claimed after our refund of the VHTLC; a secret seen and not used.
 */
export interface BitcoinArkadeTerms extends OnchainSourceTerms, TargetTerms {
  /** HASH160: nobody but the client has the other form before it claims. */
  readonly hash: Hash160;
  /** Of the VHTLC. */
  readonly address: string;
  /** Sends the VHTLC, and claims the bitcoin. */
  readonly serverKey: PublicKey;
  /** The client's claim key and refund key as they were sent, for the record. */
  readonly claimKeyText: string;
  readonly refundKeyText: string;
  readonly keyIndex: number;
  readonly lockBefore: TargetTerms['lockBefore'];
  /** The timeouts' relations as they were agreed. */
  readonly policy: TimeoutPolicy;
}

/** The client's bitcoin and our VHTLC. */
export interface Locked extends Funded, Lock {}

/** The client's claim of the VHTLC; null where a batch made it. */
interface Redeemed extends Lock, Raced {
  readonly claimTxid: Txid | null;
}

/** Our VHTLC came back: what was locked, and what brought it back. */
export interface Returned {
  readonly fundTxid: Txid;
  readonly refundTxid: Txid;
}

export type BitcoinArkadeProgress =
  | Pending
  | Seen
  | ({ readonly at: 'funded' } & Funded)
  | ({ readonly at: 'locking' } & Locked)
  | Standing<Locked>
  | Refunding<Locked>
  | ({ readonly at: 'claiming' } & Claiming & Redeemed)
  | ({ readonly at: 'claimed' } & Claiming & Redeemed & Unwatched)
  /** The client has the VHTLC and its bitcoin. */
  | ({ readonly at: 'lost' } & Claiming & Redeemed & Unwatched)
  /** Our VHTLC is ours again for good; the client takes its bitcoin back alone. */
  | ({ readonly at: 'returned' } & Omit<Stopped, 'at' | 'why'> & Returned)
  | Stopped
  | Lapsed
  | (Refunded & { readonly returned?: Returned });

/** The part of a state that stays the swap's once a VHTLC is locked. */
export function lockOf(p: Locked): Locked {
  return { ...fundedOf(p), lock: p.lock };
}
