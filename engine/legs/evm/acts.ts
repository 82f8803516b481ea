import type { EvmAddress } from '../../domain/evm.ts';
import type { Call, EvmSignature } from './contracts.ts';
import type { LockTerms } from './swap-key.ts';
import type { TakerClaim, TakerFunding } from './taker-acts.ts';

/**
 * A client's Permit2 signature over what its swap is funded with (facts/evm.md 5), and a token's own permit where it
 * gave one.
 */
export interface Permit {
  readonly depositor: EvmAddress;
  readonly token: EvmAddress;
  /** Smallest units. */
  readonly amount: bigint;
  readonly nonce: bigint;
  /** Unix seconds of the chain's clock. */
  readonly deadline: bigint;
  /** 65 bytes, or more of a depositor that is a contract. */
  readonly signature: Uint8Array;
  /** EIP-2612, of the depositor to Permit2. */
  readonly tokenPermit?: {
    readonly value: bigint;
    readonly deadline: bigint;
    readonly signature: EvmSignature | Uint8Array;
  };
}

/** What our account does on a chain. Each is one transaction, signed from these fields and from nothing else. */
export type EvmAct =
  /** Locks our own token or coin, to be refunded to us. */
  | { readonly is: 'lock'; readonly lock: LockTerms }
  /** Takes the client's lock with the preimage that was saved. */
  | { readonly is: 'claim'; readonly lock: LockTerms }
  /** Takes our own lock back, from its timelock on. */
  | { readonly is: 'refund'; readonly lock: LockTerms }
  /**
   * A client's claim of our lock, by its signature: pays `destination`, never us. The preimage is the one that was
   * saved.
   */
  | {
      readonly is: 'relay-claim';
      readonly lock: LockTerms;
      readonly calls: readonly Call[];
      readonly sweepToken: EvmAddress;
      readonly minAmountOut: bigint;
      readonly destination: EvmAddress;
      readonly signature: EvmSignature;
    }
  /** A client's lock by its Permit2 signature; the amount is what the coordinator holds after the calls. */
  | {
      readonly is: 'relay-fund';
      readonly lock: Omit<LockTerms, 'amount'>;
      readonly permit: Permit;
      readonly calls: readonly Call[];
    }
  /** Gives a client's lock back before its timelock, by both signatures: ours is made with the transaction. */
  | {
      readonly is: 'relay-refund';
      readonly lock: LockTerms;
      readonly depositor: EvmAddress;
      readonly signature: EvmSignature;
    }
  /**
   * Takes a lock that was made for one of the taker's keys, which signs with the transaction. The preimage is the one
   * that was saved.
   */
  | ({ readonly is: 'taker-claim' } & TakerClaim)
  /** Locks tokens of one of the taker's accounts, which signs; what is sent is a `relay-fund`. */
  | ({ readonly is: 'taker-fund' } & TakerFunding)
  /** Gives a lock that the coordinator made for the taker back to it, from its timelock on. */
  | { readonly is: 'taker-refund'; readonly lock: LockTerms }
  /** The owner's withdrawal; the zero address is the native coin. */
  | { readonly is: 'pay'; readonly token: EvmAddress; readonly to: EvmAddress; readonly amount: bigint };

/**
 * What a transaction of our account is for. `approve` lets the HTLC take what a lock needs, `permit` gives a token the
 * depositor's own permit, `taker-approve` lets Permit2 take the tokens of the taker's account and `taker-pay` sends
 * them on, both sent by that account itself, `cancel` fills a nonce whose transaction nobody wants any more.
 */
export type EvmPurpose = EvmAct['is'] | 'approve' | 'permit' | 'taker-approve' | 'taker-pay' | 'cancel';
