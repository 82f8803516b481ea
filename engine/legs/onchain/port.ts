import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';

export interface ChainTip {
  readonly hash: string;
  readonly height: number;
  /** BIP-113: the median of the last eleven block times. */
  readonly mtp: Unix;
  /** The tip's own time. */
  readonly time: Unix;
  /**
   * How often what was told before turned out to be another chain: then this one counts, however low. Left out for
   * never.
   */
  readonly era?: number;
}

/** The Bitcoin chain as a clock. Rejects with a `PortFailure`; reading is always safe to repeat. */
export interface BitcoinClockPort {
  genesis(): Promise<string>;
  tip(): Promise<ChainTip>;
}

/** A transaction as the endpoint has it now. */
export interface ChainTx {
  /** With its witness. */
  readonly bytes: Uint8Array;
  /** As of a spend. */
  readonly height: number | null;
}

/** What spends an outpoint. */
export interface ChainSpend {
  readonly txid: Txid;
  /**
   * Of the block that holds it on the best chain; null while it waits in a mempool, and as long as its block is not
   * proven.
   */
  readonly height: number | null;
  /**
   * Whether its bytes are such as were asked for, where they were read with the answer: who showed them may show them
   * no more. Left out where nobody was asked for them, as of whoever decides alone.
   */
  readonly fits?: boolean;
}

/** What a block asked: nearly all that it holds paid this or more. */
export interface BlockRate {
  readonly height: number;
  /** Sats per virtual byte; a guide and no proof, for nobody can be shown what a block left out. */
  readonly rate: number;
}

/** An output that nothing spends, neither on the best chain nor in the mempool. */
export interface ChainCoin {
  readonly outpoint: Outpoint;
  readonly script: Uint8Array;
  readonly amount: Sats;
  /** Null while its transaction waits in the mempool. */
  readonly height: number | null;
  /** Whether it is a miner's reward; left out where the source does not tell. */
  readonly reward?: boolean;
}

export type BroadcastAnswer =
  /** In the mempool or on the chain, by this call or before it. */
  | { readonly is: 'accepted' }
  /** An input is spent by another transaction, in the mempool or on the chain, that this one does not replace. */
  | { readonly is: 'spent'; readonly reason: string }
  /**
   * Time can heal it: a timelock not over, a parent not seen yet; or, `cheap`, a fee below what the mempool asks for
   * now; or, `dear`, one above what the node takes from anybody, which says nothing of the transaction itself.
   */
  | { readonly is: 'later'; readonly reason: string; readonly cheap?: true; readonly dear?: true }
  /** The transaction itself is wrong. */
  | { readonly is: 'refused'; readonly reason: string };

/** Of a transaction and of the child that pays for it. */
export interface PackageAnswer {
  readonly parent: BroadcastAnswer;
  readonly child: BroadcastAnswer;
}

/** A transaction that paid a script, by the word of a source: its bytes say what it paid. */
export interface ScriptPayment {
  readonly txid: Txid;
  /** Its largest coin at the script. */
  readonly amount: Sats;
  /** A coin of it was spent: whoever owns none of the script's keys can make no such payment. */
  readonly spent: boolean;
}

/** A part of the payments to a script. */
export interface ScriptPayments {
  readonly payments: readonly ScriptPayment[];
  /** Nothing is left of the search: until then what is not among them is not known. */
  readonly over: boolean;
}

/** The script that a coin pays, and a height below which nothing ever paid it. */
export interface PaidScript {
  readonly script: Uint8Array;
  readonly since: number;
}

/** Of the coins that lie at one script those that are looked at any closer. */
export type ChooseCoins = (ofScript: readonly ChainCoin[]) => readonly ChainCoin[];

/**
 * The Bitcoin chain. Reading is always safe to repeat. `broadcast` has the bytes as *natural key*: the same transaction
 * sent twice is one transaction. Rejects with a `PortFailure`; a broadcast that may have arrived rejects with
 * `retry: 'ask-first'`, and sending the same bytes again is how one asks.
 */
export interface BitcoinPort extends BitcoinClockPort {
  /**
   * One sentence while its sources contradict each other, or the one that decides is away: nothing new is begun over
   * this chain then, and what is open goes on. Answers at once, from what was read last.
   */
  disagreement(): string | null;
  /**
   * Null when the endpoint answered that it has none, which is not proof that there is none. A witness is no part of
   * the id, so that any source may show another one (facts/onchain.md 8): bytes that `fits` takes are looked for at all
   * of them before others are answered.
   */
  transaction(txid: Txid, fits?: (bytes: Uint8Array) => boolean): Promise<ChainTx | null>;
  /**
   * The same where a stranger names the transaction: only what mempool, index and the last look show. No block is read
   * for it, no look of ours waits for it, and nothing of it is remembered (facts/faults.md 179).
   */
  glance(txid: Txid): Promise<ChainTx | null>;
  /**
   * Unspent outputs of the scripts, mempool included. `since`: a height below which none of them was ever paid; without
   * it a node that keeps no index of scripts reads its whole set of coins for one that is new to it. `choose`: of what
   * one source lists at a script those that matter, where anybody can send more; what else is listed may be left out,
   * and costs nothing.
   */
  coins(scripts: readonly Uint8Array[], since?: number, choose?: ChooseCoins): Promise<ChainCoin[]>;
  /**
   * Payments to a script that was never paid below `since`, whatever became of their coins: what was spent before
   * anybody looked is listed by nothing else. Where strangers made so many that they come in parts, the next call with
   * the same `search` goes on where this one stopped. Left out where nobody can tell.
   */
  payments?(script: Uint8Array, since: number, search: object): Promise<ScriptPayments>;
  /**
   * Null while nothing is known to spend it. Of several spends that are in no block, one whose bytes `fits` takes comes
   * before another that a single source may have made up. `paid`: where the coins of its script were listed before, no
   * block is read for one that was in none since then (facts/faults.md 264).
   */
  spend(outpoint: Outpoint, fits?: (bytes: Uint8Array) => boolean, paid?: PaidScript): Promise<ChainSpend | null>;
  broadcast(transaction: Uint8Array): Promise<BroadcastAnswer>;
  /**
   * A stranger's transaction, handed on as by `broadcast`: but one of whose inputs nobody knows counts as `spent`, for
   * nothing is looked for what spent it.
   */
  passOn(transaction: Uint8Array): Promise<BroadcastAnswer>;
  /**
   * Both, as a package where the endpoint takes one, so that a parent below the mempool's minimum enters by its child's
   * fee; else one after the other. As safe to repeat as `broadcast`.
   */
  broadcastPackage(parent: Uint8Array, child: Uint8Array): Promise<PackageAnswer>;
  /** Sats per virtual byte to be mined within `blocks`, never below the relay floor of 1. */
  feeRate(blocks: number): Promise<number>;
  /**
   * Of the last `count` blocks, the newest last. Blocks that tell nothing, for they are empty, are left out, and fewer
   * come as long as they are being read. Empty, or left out, where nobody can tell.
   */
  blockRates?(count: number): Promise<readonly BlockRate[]>;
  /** What another source says to the same, where there is one that answers: a second opinion. */
  secondFeeRate?(blocks: number): Promise<number | null>;
}
