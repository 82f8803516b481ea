import type { Txid } from '../../domain/outpoint.ts';
import type {
  Base,
  Claiming,
  Counted,
  Deposit,
  Deposited,
  EvmSourceTerms,
  Lapsed,
  Left,
  Pending,
  Refunded,
  Seen,
  Stopped,
  StrayLock,
} from '../evm-source/terms.ts';
import type { CoinTaking } from '../onchain-taking.ts';
import type { OnchainTargetTerms, Placed, Refunding, Revealed } from '../onchain-target/terms.ts';

/**
 * EVM to Bitcoin. The client locks a BTC-pegged token, by itself or by a signature that we relay; once the lock is buried the
 * service funds an HTLC of the same secret on the Bitcoin chain. The client's claim of it shows the secret, which claims the lock
 * (facts/clients.md 2).
 *
 * Loses money when wrong: a funding for a lock that is short, shallow, gone, or refundable before our own refund is; a refund of
 * the client's signed while our coin is out; the lock claimed by a secret that took nothing of ours, or a coin taken back after its
 * claim opened the lock: then the client has neither.
 */
export interface EvmBitcoinTerms extends EvmSourceTerms, OnchainTargetTerms {
  /** Two RPCs must agree on the lock before it is funded for. */
  readonly agreed: boolean;
  /** Where the client says that its bitcoin will go; it claims wherever it likes. */
  readonly targetAddress: string | null;
}

/** A funding that this database cannot tell the end of: until it shows, no refund of the client's is signed. */
export interface Doubt {
  readonly deposit: Deposit;
  /** Null where not even its output is known. */
  readonly placed: Placed | null;
}

/** Our coin is ours again for good. */
interface Returned extends Base, Left, Placed, Counted {
  readonly at: 'returned';
  readonly refundTxid: Txid;
  readonly fenced: boolean;
  readonly strays: readonly StrayLock[];
}

export type EvmBitcoinProgress =
  | Pending
  | Seen
  /** `other`: a coin of the amount waits unconfirmed at our script, and nothing is funded beside it. */
  | (Deposited & { readonly at: 'funded'; readonly other?: true })
  /** Signed, and nobody has shown it yet. */
  | (Deposited & Placed & { readonly at: 'funding' })
  | (Deposited & Placed & { readonly at: 'locked' })
  | (Deposited & Refunding)
  | (Claiming & Revealed)
  | (Deposited & Left & Revealed & { readonly at: 'claimed'; readonly claimTxid: Txid })
  /** The client took the lock back after it had claimed our coin, which is taken back unless that claim is mined. */
  | (Deposited & Left & Revealed & CoinTaking & { readonly at: 'lost' })
  | Returned
  | (Stopped & { readonly doubt?: Doubt })
  | Lapsed
  | (Refunded & { readonly returned?: Placed & { readonly refundTxid: Txid } });
