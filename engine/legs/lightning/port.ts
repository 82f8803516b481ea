import type { BitcoinNetwork } from '../../domain/chain.ts';
import type { Preimage, Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';

export interface LightningInfo {
  readonly alias: string;
  readonly pubkey: string;
  readonly version: string;
  readonly network: BitcoinNetwork;
  readonly height: number;
  /** The time of its best block, as its miner wrote it. */
  readonly tipTime: Unix;
  readonly synced: boolean;
}

/** What the channels can carry now. */
export interface LightningLiquidity {
  readonly outbound: Sats;
  /** Over channels that surely hold what comes. */
  readonly inbound: Sats;
  /** In HTLCs that are not resolved. */
  readonly pending: Sats;
  /** A payment of less may count as not held, by the channel that it comes over. */
  readonly leastHeld: Sats;
}

/** A hold invoice of ours, by its hash. `absent` is known: the node answered that it has none. */
export type HoldState =
  | { readonly is: 'absent' }
  | { readonly is: 'open' }
  /**
   * All parts arrived. `amount` is that of those which are surely ours, `smallest` the least of these, and
   * `expiryHeight` the lowest height at which an HTLC times out.
   */
  | { readonly is: 'held'; readonly amount: Sats; readonly smallest: Sats; readonly expiryHeight: number }
  | { readonly is: 'settled' }
  | { readonly is: 'cancelled' };

/**
 * A payment of ours, by its hash. `absent` after a send was attempted is unknown, not failed (facts/faults.md 23): the
 * node knows nothing of it, or still waits for an HTLC that it never sent and that timed out long since.
 */
export type PaymentState =
  | { readonly is: 'absent' }
  | { readonly is: 'in-flight' }
  | { readonly is: 'settled'; readonly preimage: Preimage; readonly feeMsat: bigint }
  /** Definite: no part of it is in flight and none can settle any more. */
  | { readonly is: 'failed'; readonly reason: string };

export interface PayRequest {
  readonly bolt11: string;
  readonly hash: Sha256;
  /** The invoice's amount, repeated so that a decoder's mistake cannot pay another one. */
  readonly amount: Sats;
  readonly maxFeeMsat: bigint;
  /** No HTLC of the payment may time out above this height. */
  readonly maxTimeoutHeight: number;
}

/** What is ours in the channels at one moment, whoever moves it. */
export interface LightningHoldings {
  /**
   * Millisatoshis: our side, the HTLCs that we offer, and of a channel that we opened what its commitment costs. It
   * moves by what is paid, received and forwarded, and by channels that come and go; not by the fee rate of a channel.
   */
  readonly ours: bigint;
  /** Every name of each open channel. */
  readonly channels: readonly string[];
  readonly htlcs: readonly LightningHtlc[];
  /** Another one after any move in any channel. */
  readonly version: string;
}

/** One that is not resolved. */
export interface LightningHtlc {
  readonly hash: Sha256;
  /** Rounded down. */
  readonly amount: Sats;
  readonly incoming: boolean;
  /** It goes on to another channel, or came from one. */
  readonly forwarded: boolean;
}

/** The wallet that the Lightning node itself has on the Bitcoin chain, at one moment, whoever moves it. */
export interface ChainWallet {
  /** Sats of every coin that nothing spends, leased ones and those that are in no block yet too. */
  readonly ours: Sats;
  /**
   * Sats by which `ours` may be more than what `transactions` come to: the node counts a leased coin until what spends
   * it is in a block, and lists a transaction beside the one that replaces it.
   */
  readonly doubt: Sats;
  /** Every transaction that is in no block, and those of a block at the height that was named or above it. */
  readonly transactions: readonly ChainTransaction[];
}

/** What a close of channels is paid from, and what it would have to bring home, at one moment. */
export interface ClosingFunds {
  /** Sats of coins in blocks that nothing leases: all that the node adds to a claim or to an anchor. */
  readonly coins: Sats;
  /** Channels with HTLCs that are not resolved. */
  readonly channels: number;
  /** Each of these, in either direction, rounded down. */
  readonly htlcs: readonly Sats[];
  /** The hash of each, in the same order. */
  readonly hashes: readonly Sha256[];
  /**
   * Channels that their peers opened and that hold some of these, with the hashes of what each holds. `perKw`: sats
   * that the commitment pays for a thousand units of its weight.
   */
  readonly theirs: readonly { readonly perKw: number; readonly hashes: readonly Sha256[] }[];
}

/** Any transaction of that wallet, whoever made it. */
export interface ChainTransaction {
  readonly txid: Txid;
  /** Sats that it brought to the wallet, below zero where it took some, its fee included. */
  readonly amount: bigint;
  /** Sats that its miner took; 0 where coins of others went in too, for the node does not know theirs. */
  readonly fee: Sats;
  /** What the node, or whoever asked it for the transaction, calls it; empty for one that came from outside. */
  readonly label: string;
  /** Null while no block has it. */
  readonly height: number | null;
}

/** Of a list of the node, oldest first: what is behind an index, or the newest. */
export type ListPage = { readonly after: number; readonly most: number } | { readonly newest: number };

/** Any payment of the node, whoever asked for it. One that failed and is tried again has a new index. */
export interface ListedPayment {
  readonly index: number;
  readonly hash: Sha256;
  readonly is: 'in-flight' | 'settled' | 'failed';
  /** Millisatoshis that left with it for good, routing included: of one in flight, with parts that were taken. */
  readonly sent: bigint;
}

/** Any invoice of the node, whoever made it. */
export interface ListedInvoice {
  readonly index: number;
  readonly hash: Sha256;
  readonly description: string;
  readonly is: 'open' | 'settled' | 'cancelled';
  /** Millisatoshis that came for it, by the channel that brought them; none unless it settled. */
  readonly came: readonly { readonly channel: string; readonly msat: bigint }[];
}

/**
 * The owner's Lightning node. Every effect has the payment hash as *natural key*: repeating `createHold`, `settle`,
 * `cancel` or `pay` for a hash never creates, settles or pays twice. Whose an invoice or payment is does not follow
 * from its hash: the caller has to know that it asked for it. Every method rejects with a `PortFailure`; a call that
 * may have reached the node rejects with `retry: 'ask-first'`.
 */
export interface LightningPort {
  info(): Promise<LightningInfo>;
  liquidity(): Promise<LightningLiquidity>;
  /**
   * Rejects with the code `hold-taken` when the hash has an invoice already that an earlier call of ours cannot have
   * made: one with other terms, one that somebody has paid or that is over, and any at all where there was no earlier
   * call.
   */
  createHold(invoice: {
    hash: Sha256;
    amount: Sats;
    description: string;
    /** Stands in the invoice in place of the description, which its node alone keeps then. */
    descriptionHash?: Sha256;
    expiresAt: Unix;
    /** Blocks between acceptance and the HTLC's timeout that a payer must leave. */
    cltvDelta: number;
    /**
     * An earlier call for this hash may have reached the node, without anybody having been told: an open invoice with
     * these terms is it.
     */
    again?: boolean;
  }): Promise<{ bolt11: string; expiresAt: Unix }>;
  hold(hash: Sha256): Promise<HoldState>;
  /** Resolves once the held payment is settled. */
  settle(preimage: Preimage): Promise<void>;
  /** Resolves once the invoice can no longer be paid and what was held went back. Rejects `never` when it settled. */
  cancel(hash: Sha256): Promise<void>;
  /**
   * Starts the payment, or finds it started; resolves as soon as the node took it over. `maxParts`: HTLCs in flight at
   * the same time, each maybe in a channel of its own; sixteen unless it says fewer.
   */
  pay(request: PayRequest & { readonly maxParts?: number }): Promise<void>;
  payment(hash: Sha256): Promise<PaymentState>;
  /** Worst route fee to expect, in whole sats rounded up; null when no route is known. */
  estimateFee(bolt11: string): Promise<Sats | null>;
  /**
   * Calls back on every change of a watched hash, and once for what it finds when a hash is added: without saying what
   * changed, but for a payment that settled, where the node tells with which preimage. After the node could not be
   * reached it calls `onGap`, and again for each watched hash, by itself.
   */
  watch(handlers: {
    onHold(hash: Sha256): void;
    /** `settled`: what `payment` would answer. The preimage counts only where it fits the hash. */
    onPayment(hash: Sha256, settled?: PaymentState & { is: 'settled' }): void;
    onGap(): void;
  }): LightningSubscription;
  /** An ordinary receiving invoice for the owner's deposits; `amount` is null where its payer decides. */
  createInvoice(invoice: { amount: Sats | null; description: string }): Promise<{ bolt11: string; hash: Sha256 }>;
  holdings(): Promise<LightningHoldings>;
  /** Its wallet on the chain, with what happened from a height on: that costs what is new, whatever the history. */
  chainWallet(from: number): Promise<ChainWallet>;
  closingFunds(): Promise<ClosingFunds>;
  /** What the node paid for anybody. What a page costs does not grow with what is older. */
  payments(page: ListPage): Promise<readonly ListedPayment[]>;
  /** Its invoices for anybody, in the same way. */
  invoices(page: ListPage): Promise<readonly ListedInvoice[]>;
}

export interface LightningSubscription {
  addHold(hash: Sha256): void;
  removeHold(hash: Sha256): void;
  /** The node has told of this hold by the stream that is open now: what changes is told at once. */
  followsHold(hash: Sha256): boolean;
  addPayment(hash: Sha256): void;
  removePayment(hash: Sha256): void;
  stop(): Promise<void>;
}
