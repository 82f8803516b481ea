import type { TakenDirection } from '../domain/chain.ts';
import type { Hash160, Preimage, Sha256 } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { Outpoint, Txid } from '../domain/outpoint.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { Clocks, Unix } from '../domain/time.ts';
import type { HoldState, PayRequest, PaymentState } from '../legs/lightning/port.ts';
import type { BumpRequest, SavedSend, WalletCoin } from '../legs/onchain/wallet-port.ts';
import type { KeyRef } from '../legs/signer.ts';
import type { OnChainCoin, VhtlcSpend, Vtxo } from '../legs/arkade/port.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import type { ReducedTerms } from './reduced.ts';
import type { TimeoutPolicy } from '../legs/timelocks.ts';

/** What a transaction does to a VHTLC: the service locks, the receiver claims, the sender refunds. */
export type Purpose = 'lock' | 'claim' | 'refund';

/** `spent`: an input went to another transaction; `recoverable`: only a batch can take it; `unrolled`: it lies on the chain; `late`: never sent. */
export type RefusedFor = 'spent' | 'recoverable' | 'unrolled' | 'late' | 'refused';

/**
 * Conditions judged at the moment of an act, not when it was decided: a lock or payment that waited out an outage must
 * not be sent into a leg that is about to close. They limit what is started, never what is finished.
 */
export interface OnlyIf {
  /** Nothing is started after this moment: of the chain's clock for a lock or a claim, of the wall clock for a payment. */
  readonly notAfter: Unix;
  /** The payment that must still be held, for long enough. */
  readonly held?: {
    readonly hash: Sha256;
    readonly sourceAmount: Sats;
    readonly vhtlcRefundLocktime: Unix;
    readonly policy: TimeoutPolicy;
  };
  /** The client's coin that must still be there, whole, and timelocked for long enough. */
  readonly coin?: {
    readonly script: Uint8Array;
    readonly outpoint: Outpoint;
    readonly sourceAmount: Sats;
    readonly refundLocktime: Unix;
    readonly finalCltv: number;
    readonly invoiceExpiresAt: Unix;
    readonly policy: TimeoutPolicy;
  };
  /** The coin for which a preimage leaves us: it must still be there, whole, and ours for long enough. */
  readonly reveal?: {
    readonly script: Uint8Array;
    readonly outpoint: Outpoint;
    readonly targetAmount: Sats;
    readonly refundLocktime: Unix;
    readonly policy: TimeoutPolicy;
  };
}

/** What a taker sends to open a swap at a provider: the body of the create, already in its wire form. */
export interface ProviderOrder {
  readonly direction: TakenDirection;
  readonly body: Readonly<Record<string, string | number>>;
  readonly hash: Sha256;
  /** Index of the taker's keys, at which a recovery begins to look. */
  readonly keyIndex: number;
}

/** What a machine asks of the world. Self-contained: whoever executes it needs no other knowledge of the swap. */
export type Effect =
  | {
      readonly do: 'hold.create';
      readonly hash: Sha256;
      readonly amount: Sats;
      readonly description: string;
      readonly expiresAt: Unix;
      readonly cltvDelta: number;
    }
  | { readonly do: 'hold.settle'; readonly hash: Sha256 }
  | { readonly do: 'hold.cancel'; readonly hash: Sha256 }
  | { readonly do: 'pay'; readonly payment: PayRequest; readonly onlyIf: OnlyIf }
  /** `ownScript`: nobody but this swap pays the script, so that a coin of the amount there is the lock, made already. */
  | {
      readonly do: 'vhtlc.lock';
      readonly script: Uint8Array;
      readonly amount: Sats;
      readonly minExpiry: Unix;
      readonly ownScript?: true;
    }
  | {
      readonly do: 'vhtlc.claim';
      readonly terms: VhtlcTerms;
      readonly script: Uint8Array;
      readonly key: KeyRef;
      readonly coin: Outpoint;
    }
  | {
      readonly do: 'vhtlc.refund';
      readonly terms: VhtlcTerms;
      readonly script: Uint8Array;
      readonly key: KeyRef;
      readonly coin: Outpoint;
    }
  | { readonly do: 'vhtlc.submit'; readonly purpose: Purpose; readonly txid: Txid; readonly onlyIf?: OnlyIf }
  | { readonly do: 'vhtlc.finalize'; readonly purpose: Purpose; readonly txid: Txid; readonly onlyIf?: OnlyIf }
  /** `taken`: a batch has the coin, they say; only whose that was is asked, and none is joined. */
  | {
      readonly do: 'vhtlc.settle';
      readonly purpose: 'claim' | 'refund';
      readonly terms: VhtlcTerms;
      readonly script: Uint8Array;
      readonly key: KeyRef;
      readonly coin: Outpoint;
      readonly taken?: true;
    }
  /** Takes a coin that left the operator for the chain, once it is mined: prepares, and sends nothing. `leastRate` in sats per virtual byte, above 0 for a bump. */
  | {
      readonly do: 'vhtlc.exit';
      readonly purpose: 'claim' | 'refund';
      readonly terms: VhtlcTerms;
      readonly script: Uint8Array;
      readonly key: KeyRef;
      readonly coin: Outpoint;
      readonly leastRate: number;
    }
  /** Keeps a prepared transaction on the chain until it is buried; `spends` is an input of it, by which its rivals are known, and `amount` what all its inputs hold. Capped, it pays no more before `raiseFrom`. */
  | {
      readonly do: 'chain.broadcast';
      readonly txid: Txid;
      readonly spends: Outpoint;
      readonly amount: Sats;
      readonly rate: number;
      readonly capped: boolean;
      readonly raiseFrom?: Unix;
      readonly since: number;
    }
  /** Takes coins of the Arkade wallet that lie on the chain home: prepares, and sends nothing. `leastRate` as above. */
  | { readonly do: 'arkade.sweep'; readonly coins: readonly OnChainCoin[]; readonly leastRate: number }
  /**
   * Pays out of the Bitcoin wallet, at a fee of at most `mostFee`: prepares, and sends nothing. `earlier`: the coins of payments of the same sats that were
   * signed before and are held for dead, each of which the new one stays in conflict with.
   */
  | {
      readonly do: 'bitcoin.send';
      readonly script: Uint8Array;
      readonly amount: Sats;
      readonly mostFee?: Sats;
      readonly doubted?: boolean;
      readonly earlier?: readonly (readonly WalletCoin[])[];
    }
  /** Prepares the same payment again, from the same coins, at a fee of at most `mostFee`. */
  | ({ readonly do: 'bitcoin.bump' } & BumpRequest)
  /** Opens a swap at a provider; `provider` is its base URL, empty for this very node. */
  | { readonly do: 'provider.create'; readonly provider: string; readonly order: ProviderOrder }
  /** Builds our half of a refund and asks the provider for the other one; sends nothing to the operator. */
  | {
      readonly do: 'provider.cosign';
      readonly provider: string;
      readonly swapId: string;
      readonly terms: VhtlcTerms;
      readonly script: Uint8Array;
      readonly key: KeyRef;
      readonly coin: Outpoint;
    };

/**
 * A coin at the swap's script with what is known of its spend: null when unspent or not readable yet. `hidden`: a batch
 * took it after its expiry, and no trace of it says by which leaf. `unknown`: what the operator shows is no spend of it.
 * A claim may be known before the coin is spent: from an intent that waits at the operator.
 */
export interface SeenCoin extends Vtxo {
  readonly spend: VhtlcSpend | 'hidden' | 'unknown' | null;
  /** Present when the spend was read from the chain; the height is null while it waits in a mempool. */
  readonly onChain?: { readonly height: number | null };
}

/** What happened. An event that a state does not expect changes nothing: chains repeat themselves, and so do restarts. */
export type Event =
  | { readonly is: 'clock' }
  /** The request that opened the swap was answered with a failure: nobody knows the swap, it must leave no trace. */
  | { readonly is: 'abandoned'; readonly reason: string }
  | { readonly is: 'hold.created'; readonly bolt11: string; readonly expiresAt: Unix }
  /** `taken`: the hash has an invoice already, which is not ours or cannot be paid any more. */
  | { readonly is: 'hold.refused'; readonly reason: string; readonly taken?: true }
  | { readonly is: 'hold.seen'; readonly state: HoldState }
  | { readonly is: 'hold.settled' }
  | { readonly is: 'hold.cancelled' }
  /** `unsure`: an earlier call to start it got no answer, and may still arrive. */
  | { readonly is: 'payment.started'; readonly unsure?: true }
  | { readonly is: 'payment.refused'; readonly reason: string; readonly unsure?: true }
  | { readonly is: 'payment.seen'; readonly state: PaymentState; readonly unsure?: true }
  /** `asked`: when the question went out that this answers, by the wall. */
  | { readonly is: 'vhtlc.seen'; readonly coins: readonly SeenCoin[]; readonly asked?: Unix }
  | { readonly is: 'vhtlc.prepared'; readonly purpose: Purpose; readonly txid: Txid; readonly output: Outpoint }
  | { readonly is: 'vhtlc.accepted'; readonly purpose: Purpose; readonly txid: Txid }
  /** `fee`: what the operator took for it, where it went through a batch. */
  | { readonly is: 'vhtlc.final'; readonly purpose: Purpose; readonly txid: Txid; readonly fee?: Sats }
  | {
      readonly is: 'vhtlc.refused';
      readonly purpose: Purpose;
      readonly txid: Txid | null;
      readonly why: RefusedFor;
      readonly reason: string;
    }
  /**
   * A transaction for the chain is signed and saved. `rate` in sats per virtual byte; `capped`: it pays as much as it may,
   * until `raiseFrom` by median time past, where there is one.
   */
  | {
      readonly is: 'chain.prepared';
      readonly purpose: 'claim' | 'refund';
      readonly txid: Txid;
      readonly amount: Sats;
      readonly rate: number;
      readonly capped: boolean;
      readonly raiseFrom?: Unix;
      readonly height: number;
    }
  /** A transaction that takes our own coins home is signed and saved; `spends` is an input of it, `amount` what all of them hold. */
  | {
      readonly is: 'sweep.prepared';
      readonly txid: Txid;
      readonly spends: Outpoint;
      readonly amount: Sats;
      readonly rate: number;
      readonly capped: boolean;
      readonly height: number;
    }
  /** It is not mined at its fee: prepared again it is to pay at least `leastRate`. */
  | { readonly is: 'chain.stuck'; readonly txid: Txid; readonly leastRate: number }
  /** It, or an earlier one of ours over the same coin, is buried. */
  | { readonly is: 'chain.final'; readonly txid: Txid; readonly fee: Sats }
  /** `spent`: somebody else's spend of the coin is buried. */
  | { readonly is: 'chain.refused'; readonly txid: Txid; readonly why: 'spent' | 'refused'; readonly reason: string }
  /** A payment out of the Bitcoin wallet is signed and saved; `height` is the tip's. */
  | { readonly is: 'send.prepared'; readonly payment: SavedSend; readonly height: number }
  /** No such payment can be made. */
  | { readonly is: 'send.refused'; readonly reason: string }
  /** The owner wants what is on its way to pay a higher fee. */
  | { readonly is: 'bump.requested' }
  /**
   * The client gave the preimage with a batch over these coins. `fact`: the batch that has them is the client's; where it
   * had them before, it may be one of our refund.
   */
  | {
      readonly is: 'claim.relayed';
      readonly preimage: Uint8Array;
      readonly coins: readonly Outpoint[];
      readonly fact: boolean;
    }
  /** The client asks for our signature on a refund of these coins. A step that moves fences the swap before we sign. */
  | { readonly is: 'refund.cosign.requested'; readonly coins: readonly Outpoint[] }
  /** A provider opened our swap. Its record is a claim, not yet a fact: unread and unchecked. */
  | { readonly is: 'provider.created'; readonly record: unknown }
  | { readonly is: 'provider.refused'; readonly reason: string }
  /** What a provider says of our swap: believed only where acting on it cannot cost us anything. */
  | { readonly is: 'provider.seen'; readonly status: SwapStatus }
  /** The provider does not sign the refund now. */
  | { readonly is: 'provider.declined'; readonly reason: string }
  /** The owner wants what was funded back. */
  | { readonly is: 'refund.requested' };

/** What the runtime must look at while the swap is in this state. */
export type Watch =
  | { readonly on: 'hold'; readonly hash: Sha256 }
  | { readonly on: 'payment'; readonly hash: Sha256 }
  | { readonly on: 'vhtlc'; readonly terms: VhtlcTerms; readonly script: Uint8Array }
  /** What waits at the operator for a batch over the coins of a script that we refund, read with our key: once a coin expired, or `always`. */
  | { readonly on: 'queue'; readonly script: Uint8Array; readonly key: KeyRef; readonly always: boolean }
  | { readonly on: 'provider'; readonly provider: string; readonly swapId: string };

/** A line of the ledger: what the node earned or paid, in sats, positive in its favour. */
export interface LedgerLine {
  readonly kind:
    | 'protocol-fee'
    | 'network-fee-charged'
    | 'lightning-fee-paid'
    | 'network-fee-paid'
    | 'fee-raise-paid'
    | 'operator-fee-paid'
    | 'surplus'
    | 'loss';
  readonly amountMsat: bigint;
}

export interface Step<P> {
  readonly progress: P;
  readonly effects: readonly Effect[];
  /** What earlier steps asked for is not wanted any more: a decline does not wait behind a lock that is tried again and again. */
  readonly supersedes?: true;
  /** What earlier steps asked for is not done any more; transactions that it prepared stay as they are. */
  readonly interrupts?: true;
  /** A preimage seen for the first time; saved, sealed, in the same commit, and never part of `progress`. */
  readonly learned?: Preimage;
  readonly ledger?: readonly LedgerLine[];
  /** Why a person must look at this swap. */
  readonly flag?: string;
  /** The flag is about the operator itself: nothing new is begun with it until the owner says so. */
  readonly distrust?: true;
}

export type Outcome<P> = Step<P> | 'stay';

/** How a swap that was never funded is cut down once nobody can need the rest (facts/faults.md 53). */
export interface Reducing<T, P> {
  /** What is kept, and from when on; null while anything is owed, or ever was. */
  reduce(terms: T, progress: P): { readonly from: Unix; readonly terms: ReducedTerms; readonly progress: P } | null;
  /** Terms as the machine knows them, whether they were cut down or not. */
  whole(terms: T | ReducedTerms): T;
}

/** What is noted before it is done, since nobody could tell afterwards whose doing it was (facts/faults.md 46, 47): a hold invoice asked for, a payment begun, a refund of the client's signed. */
export type NotedAct = 'invoice' | 'payment' | 'refund';

/** A decision procedure over one swap: pure, total, and the only place where its state changes. */
export interface Machine<T, P extends { readonly at: string }> {
  readonly name: string;
  /** What it may have done without this database's knowing, when an older copy is restored. */
  readonly notes?: readonly NotedAct[];
  step(terms: T, progress: P, event: Event, now: Clocks): Outcome<P>;
  watches(terms: T, progress: P): readonly Watch[];
  /** The next moment at which a `clock` event can change something; null when none can. */
  deadline(terms: T, progress: P): Unix | null;
  status(progress: P): SwapStatus;
  /** False once nothing of the swap needs watching: it leaves the working set and costs nothing any more. */
  open(terms: T, progress: P): boolean;
  /** The liquidity promised at creation is still owed; once false it is released, having been used or not needed. */
  reserves(progress: P): boolean;
  /** True for a swap that nobody was ever told of: its hash may be used again. */
  untold(progress: P): boolean;
  /** The payment hash, in the form that all directions share. */
  hash160(terms: T): Hash160;
  /** Left out where nothing is ever cut. */
  readonly reducing?: Reducing<T, P>;
  /** Who is waited for, in words for the owner. */
  nextAction(terms: T, progress: P): string;
}

export function move<P>(progress: P, ...effects: Effect[]): Step<P> {
  return { progress, effects };
}
