import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Preimage } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { EvmPurpose, Permit } from './acts.ts';
import type { Call, EvmSignature } from './contracts.ts';
import type { Paid } from './paid.ts';
import type { LockTerms } from './swap-key.ts';

/** A lock as its contract told of it, by the logs of blocks that still stand. */
export interface SeenLock {
  readonly terms: LockTerms;
  /** `swapKey(terms)`. */
  readonly key: Uint8Array;
  readonly txid: Txid;
  readonly height: number;
  /**
   * Blocks that stand on its creation, its own counted: 1 is the tip. 0 while two RPCs do not yet say the same of it:
   * here and below.
   */
  readonly confirmations: number;
  /** Why they cannot both be asked of its creation; missing where they can. */
  readonly doubt?: string;
  /** Who gets a refund from the coordinator: nobody where that did not make it, null while it is not known. */
  readonly depositor: EvmAddress | 'nobody' | null;
  /** What that one gave for it; missing where that is not known, or is what the lock holds. */
  readonly paid?: Paid;
  readonly state:
    | { readonly is: 'active' }
    /** The preimage was checked against the hash. */
    | { readonly is: 'redeemed'; readonly preimage: Preimage; readonly txid: Txid; readonly confirmations: number }
    | { readonly is: 'refunded'; readonly txid: Txid; readonly confirmations: number };
}

/** What became of a transaction of ours, and of everything that replaced it. */
export type SentState =
  /** `taken`: the variant that a node took, said once it did; null while none is known to have one. */
  | { readonly is: 'waiting'; readonly taken: Txid | null }
  /** `by`: the variant that was mined. `cost` in wei, what the account paid for gas. */
  | {
      readonly is: 'mined';
      readonly by: Txid;
      readonly ok: boolean;
      readonly confirmations: number;
      readonly cost: bigint;
    }
  /**
   * Its nonce was used by something else, which is buried: it never happens. `unsent`: nobody was ever handed it, and
   * nobody will be; what it shows stayed with us.
   */
  | { readonly is: 'gone'; readonly unsent?: true };

/**
 * It did not do what it was for, by a block of that `depth`. Where a second one can do no harm the first block says
 * enough.
 */
export function hasFailed(state: SentState, depth = 0): boolean {
  return state.is === 'gone' || (state.is === 'mined' && !state.ok && state.confirmations >= depth);
}

/** What happened on an EVM chain, and what clients asked there. */
export type EvmEvent =
  /**
   * Signed and saved with its nonce: it is on its way, whatever becomes of the swap. `lock`: the key of the one that it
   * claims, or gives back; a state that goes by another one has no use for it (facts/faults.md 291, 306).
   * Here and in the two below it is left out by what concerns no lock or the only one.
   */
  | {
      readonly is: 'evm.prepared';
      readonly purpose: EvmPurpose;
      readonly txid: Txid;
      readonly lock?: Uint8Array;
    }
  /**
   * Nothing was signed, for the contract has it already: by a transaction of ours that nobody remembers, or by somebody
   * else's. What it is, the logs tell.
   */
  | { readonly is: 'evm.already-done'; readonly purpose: EvmPurpose; readonly lock?: Uint8Array }
  /** Nothing was signed, and the same would be refused again. Never said of what takes or gives back our own. */
  | {
      readonly is: 'evm.refused';
      readonly purpose: EvmPurpose;
      readonly reason: string;
      readonly lock?: Uint8Array;
      /** Only an exchange on the way says no, and may say yes later. */
      readonly unpriced?: true;
      /** Of a claim of our own: nobody was shown its secret. */
      readonly unshown?: true;
    }
  /** What a mined transaction brought, in smallest units. */
  | {
      readonly is: 'evm.arrived';
      readonly txid: Txid;
      readonly amounts: readonly { readonly token: EvmAddress; readonly amount: bigint }[];
    }
  /** Whether one of our contracts stands, as every RPC says. */
  | { readonly is: 'evm.contract'; readonly address: EvmAddress; readonly stands: boolean }
  /** The settings name our contracts, or why they cannot. */
  | { readonly is: 'evm.named'; readonly refusal: string | null }
  | { readonly is: 'evm.sent'; readonly purpose: EvmPurpose; readonly txid: Txid; readonly state: SentState }
  /** Locks of a swap whose watch is over, by their keys, that their contract does not hold any more. */
  | { readonly is: 'evm.unlocked'; readonly keys: readonly Uint8Array[] }
  /**
   * Every lock that the swap wants to hear of, empty where there is none up to `height`; `asked`: by the wall, when the
   * look began.
   */
  | {
      readonly is: 'evm.seen';
      readonly network: EvmNetwork;
      readonly height: number;
      readonly time: Unix;
      readonly asked: Unix;
      readonly locks: readonly SeenLock[];
    }
  /** What an account of the taker's holds, in smallest units of the token. */
  | {
      readonly is: 'evm.balance';
      readonly network: EvmNetwork;
      readonly token: EvmAddress;
      readonly account: EvmAddress;
      readonly amount: bigint;
    }
  /** A client wants its claim of our lock relayed; its signature was checked. */
  | {
      readonly is: 'claim.requested';
      readonly secret: Preimage;
      readonly destination: EvmAddress;
      readonly sweepToken: EvmAddress;
      readonly minAmountOut: bigint;
      readonly calls: readonly Call[];
      readonly signature: EvmSignature;
    }
  /** A client wants its lock made by us; its signatures were checked. */
  | { readonly is: 'fund.requested'; readonly permit: Permit; readonly calls: readonly Call[] }
  /** A depositor wants its lock back before the timelock; its signature was checked. */
  | {
      readonly is: 'evm-refund.requested';
      /** Of the lock. */
      readonly key: Uint8Array;
      readonly depositor: EvmAddress;
      readonly signature: EvmSignature;
    };
