import type { PublicKey, XOnly } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Seconds, Unix } from '../../domain/time.ts';
import type { KeyRef } from '../signer.ts';
import type { Exit } from './exit.ts';
import type { VhtlcTerms } from './terms.ts';

/** What the operator publishes about itself. Judged by `checkOperator` before it is believed. */
export interface OperatorInfo {
  readonly network: 'mainnet' | 'signet' | 'regtest';
  readonly signer: XOnly;
  /** Its signers of before: swaps opened with one of them are still with this operator. */
  readonly formerSigners: readonly XOnly[];
  readonly exitDelay: Seconds;
  readonly dust: Sats;
  /** Null where the operator sets no limit. */
  readonly minAmount: Sats | null;
  readonly maxAmount: Sats | null;
  readonly sessionSeconds: Seconds;
  readonly digest: string;
  readonly version: string;
}

/** A coin as the operator's indexer tells it, spent or not. */
export interface Vtxo {
  readonly outpoint: Outpoint;
  readonly script: Uint8Array;
  readonly amount: Sats;
  readonly createdAt: Unix;
  /** Past this moment, by wall clock, timelocks of the script protect nobody (facts/arkade.md 26). */
  readonly expiresAt: Unix;
  /** Swept, or past its expiry: only a batch can move it. */
  readonly recoverable: boolean;
  readonly unrolled: boolean;
  /** Present when it hangs on transactions that no batch has taken yet, of others for one. */
  readonly preconfirmed?: true;
  readonly spent: boolean;
  /** The Arkade transaction that spends it, also while that one is not final; null when a batch did. */
  readonly spentIn: Txid | null;
  /** The checkpoint or forfeit transaction of the spend; null for a recoverable coin that a batch took. */
  readonly spentBy: Txid | null;
  /** The commitment transaction of the batch that took it. */
  readonly settledBy: Txid | null;
}

/** The two parts of a script of the node's own wallet that are not its key: an operator changes both. */
export interface WalletTerms {
  readonly signer: XOnly;
  /** After which the coin is ours alone on the chain; below 512 blocks, else seconds. */
  readonly exitDelay: number;
}

/** A coin of the node's own wallet. */
export interface WalletVtxo extends Vtxo {
  /** Under a signer that is not the operator's present one, or a delay shorter than its present one. */
  readonly old: boolean;
  /** Its delay is shorter than the operator's present one, which may therefore refuse it in any batch. */
  readonly tooShort?: true;
  readonly under: WalletTerms;
}

/** A coin of the node's own wallet that lies on the chain. */
export interface OnChainCoin extends WalletTerms {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
}

/** What a transaction takes from a VHTLC and by which leaf. */
export type VhtlcSpend =
  /** `unsigned`: the preimage is there and the receiver's signature is not; who has the coin is then the operator's word. */
  | { readonly leaf: 'claim'; readonly preimage: Uint8Array; readonly unsigned?: true }
  | { readonly leaf: 'refund' }
  | { readonly leaf: 'refund-without-receiver' };

/**
 * A signed transaction that nobody has seen. `bytes` is opaque to everybody but the port that made it, holds a
 * preimage when it is a claim, and must be saved with `inputs` reserved before `submit` is called.
 */
export interface PreparedArkTx {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
  readonly inputs: readonly Outpoint[];
  /** The output that pays the script asked for. */
  readonly output: Outpoint & { readonly amount: Sats };
  /** The outputs that pay the node's own wallet: change, or a claim. */
  readonly own: readonly OnChainCoin[];
}

/** Where a prepared transaction stands with the operator: `unknown` is no answer, `accepted` awaits `finalize`. */
export type ArkTxState = 'unseen' | 'accepted' | 'final' | 'unknown';

export type SubmitAnswer =
  /** Accepted; `bytes` replaces the prepared bytes, is saved, then given to `finalize`. */
  | { readonly is: 'accepted'; readonly bytes: Uint8Array }
  | { readonly is: 'final' }
  /** An input is gone to another transaction for good. */
  | { readonly is: 'spent' }
  /**
   * Refused for a reason that time can heal: locked by median time past, registered by someone, banned. `seconds` may
   * be a fraction. `alarm`: a person should know, for it does not happen by itself.
   */
  | { readonly is: 'later'; readonly reason: string; readonly seconds: number; readonly alarm?: true }
  /** An input became recoverable: the same spend must go through a batch. */
  | { readonly is: 'recoverable' }
  /** An input lies on the chain, and is spent there or not at all. */
  | { readonly is: 'unrolled' }
  | { readonly is: 'refused'; readonly reason: string };

export interface ArkadeBalance {
  readonly available: Sats;
  readonly recoverable: Sats;
  readonly pending: Sats;
}

/** A coin that is due for renewal, and what the operator takes for it, without its part of what the new coin costs. */
export interface DueCoin {
  readonly coin: Vtxo;
  readonly fee: Sats;
}

/** What the operator asks for a batch of ours, read a moment ago. */
export interface BatchOffer {
  /** Those that expire first at the front. */
  readonly due: readonly DueCoin[];
  /** Most coins that one batch takes. */
  readonly limit: number;
  /** For these coins into one new coin, all in all. */
  fee(coins: readonly Vtxo[]): Sats;
}

/** PSBTs, each as bytes. */
export interface CollabRefund {
  readonly arkTx: Uint8Array;
  readonly checkpoints: readonly Uint8Array[];
}

export interface DelegateRefund {
  readonly intentProof: Uint8Array;
  readonly forfeits: readonly Uint8Array[];
}

export interface DelegateSettle extends DelegateRefund {
  /** The exact JSON text that the proof commits to. */
  readonly message: string;
}

/**
 * An Arkade operator and the node's own wallet on it.
 *
 * Effects: `prepare…` are *prepare* (choose, sign, send nothing); `submit` and `finalize` have the transaction id as
 * *natural key*: repeating them with the same bytes never moves money twice. Every method rejects with a
 * `PortFailure`; a call that may have reached the operator rejects with `retry: 'ask-first'`.
 */
export interface ArkadePort {
  info(): Promise<OperatorInfo>;
  /** The wallet's own receiving address (bech32m) and script. */
  address(): Promise<{ address: string; script: Uint8Array }>;
  /** Every script that the wallet has coins at or had, the present one first: an operator that changes its signer or delay leaves the old ones behind. */
  walletScripts(): Promise<readonly Uint8Array[]>;
  balance(reserved: readonly Outpoint[]): Promise<ArkadeBalance>;
  /** Every coin that ever paid one of the scripts, spent ones included, in one round of requests. */
  coins(scripts: readonly Uint8Array[]): Promise<Vtxo[]>;
  /** Coins as they are now; those that the operator does not know are left out. */
  coinsAt(points: readonly Outpoint[]): Promise<Vtxo[]>;
  /** The wallet's own coins, unspent, recoverable ones included. */
  walletCoins(): Promise<WalletVtxo[]>;
  /**
   * Coins of the wallet that lie on the chain and that no spend at the operator took, from its list of all that was ever
   * spent: much to read, for a node that does not know any more what it had.
   */
  strandedCoins(): Promise<WalletVtxo[]>;
  /** The script of the wallet under these terms: asks the operator nothing. */
  scriptUnder(under: WalletTerms): Promise<Uint8Array>;
  /** Virtual transactions by id, as PSBT bytes; unknown ids are left out. */
  virtualTxs(txids: readonly Txid[]): Promise<Map<Txid, Uint8Array>>;

  /** Pays `amount` to `script` from wallet coins that outlive `minExpiry` and are not in `reserved`. */
  prepareFund(pay: {
    script: Uint8Array;
    amount: Sats;
    minExpiry: Unix;
    reserved: readonly Outpoint[];
  }): Promise<PreparedArkTx>;
  /** Spends the coins of one VHTLC into the wallet (or `to`) by the claim leaf. */
  prepareClaim(claim: {
    terms: VhtlcTerms;
    key: KeyRef;
    coins: readonly Vtxo[];
    preimage: Uint8Array;
    to?: Uint8Array;
  }): Promise<PreparedArkTx>;
  /** Spends the coins of one VHTLC by the refund-without-receiver leaf, after its locktime by median time past. */
  prepareRefund(refund: {
    terms: VhtlcTerms;
    key: KeyRef;
    coins: readonly Vtxo[];
    to?: Uint8Array;
  }): Promise<PreparedArkTx>;
  /**
   * Spends a coin of a VHTLC that lies on the chain by the leaf that needs nobody else, and asks the operator nothing.
   * Left out, `to` is the key of the wallet itself, and `mostFee` half of the coin. Rejects with `too-small` when the coin is not worth its fee.
   */
  prepareExit(exit: {
    terms: VhtlcTerms;
    key: KeyRef;
    coin: Outpoint & { readonly amount: Sats };
    purpose: 'claim' | 'refund';
    preimage?: Uint8Array;
    to?: Uint8Array;
    feeRate: number;
    mostFee?: Sats;
  }): Promise<Exit>;
  /**
   * Spends coins of the wallet that lie on the chain by the leaf that needs nobody else, all into one output, and asks the
   * operator nothing. `coins` of the answer are those that are worth their fee; rejects with `too-small` when none is.
   */
  prepareSweep(sweep: {
    coins: readonly OnChainCoin[];
    to?: Uint8Array;
    feeRate: number;
  }): Promise<Exit & { readonly coins: readonly (Outpoint & { readonly amount: bigint })[] }>;
  submit(bytes: Uint8Array): Promise<SubmitAnswer>;
  /** Verifies every signature first: an unsigned checkpoint strands the coin for good (facts/arkade.md 18). */
  finalize(bytes: Uint8Array): Promise<void>;
  /** Looks for the output, then among pending transactions; never concludes from one missing answer. */
  state(bytes: Uint8Array): Promise<ArkTxState>;

  /**
   * What waits at the operator over these coins, as PSBTs, shown to who has a key of their script: proofs of intents in
   * the `queue` until a round takes them, or `pending` transactions that are accepted and not final. A claim among them
   * shows its preimage; of an expired coin that a batch takes it is the only sight of it (facts/arkade.md 30).
   */
  waiting(look: {
    terms: VhtlcTerms;
    key: KeyRef;
    coins: readonly Vtxo[];
    where: 'queue' | 'pending';
  }): Promise<Uint8Array[]>;

  /**
   * Takes coins through a batch: recoverable VHTLC coins that cannot be claimed or refunded otherwise. Asked again it
   * answers the batch that paid us; coins that went into anybody else's are a failure, for the other leg is still owed.
   * The operator's fee is at most `mostFee`, half of the coins when left out, else nothing is done and it rejects with
   * `too-dear` (safe).
   */
  settle(spend: {
    terms: VhtlcTerms;
    key: KeyRef;
    coins: readonly Vtxo[];
    leaf: 'claim' | 'refund-without-receiver';
    preimage?: Uint8Array;
    to?: Uint8Array;
    mostFee?: Sats;
    signal: AbortSignal;
  }): Promise<{ commitmentTxid: Txid; fee: Sats }>;
  /**
   * Moves wallet coins that expire before `before`, and recoverable ones, into one fresh coin through a batch. Once a coin
   * that no batch has taken yet is from before `preconfirmedBefore`, all such coins are due, and stay as many: whoever
   * unrolls a coin takes along what shares those transactions (facts/faults.md 56). `choose` is told what the operator asks,
   * saves what is about to be done, and answers the coins to take: none of them, and nothing is done. It is asked again
   * when the operator changed its fee meanwhile.
   */
  renew(renewal: {
    before: Unix;
    preconfirmedBefore?: Unix;
    reserved: readonly Outpoint[];
    choose: (offer: BatchOffer) => readonly Vtxo[];
    signal: AbortSignal;
  }): Promise<{ commitmentTxid: Txid; fee: Sats } | null>;

  /** Judges a refund before the swap is closed for it: null when `cosign` would sign, else the sentence of the refusal. */
  judgeCollabRefund(terms: VhtlcTerms, refund: CollabRefund): Promise<string | null>;
  judgeDelegateRefund(terms: VhtlcTerms, refund: DelegateRefund): Promise<string | null>;
  /** The service's half of a collaborative refund; the caller has judged it and closed the swap. */
  cosign(terms: VhtlcTerms, key: KeyRef, refund: CollabRefund): Promise<CollabRefund>;
  cosignDelegate(terms: VhtlcTerms, key: KeyRef, refund: DelegateRefund): Promise<DelegateRefund>;
  /** The client's half, for the taker: builds and signs the refund leaf over `coins`, paying `to`. */
  buildCollabRefund(refund: {
    terms: VhtlcTerms;
    key: KeyRef;
    coins: readonly Vtxo[];
    to: Uint8Array;
  }): Promise<CollabRefund>;
  /**
   * Merges the provider's answer into a transaction that `submit` takes. With `key`, the one that built it, a lost
   * answer of the operator can be asked for again.
   */
  mergeCollabRefund(own: CollabRefund, answer: CollabRefund, key?: KeyRef): Promise<PreparedArkTx>;
  delegateKey(): PublicKey;
  /** Judges what a client wants brought into a batch in our name: null, or what is wrong with it. */
  judgeDelegateSettle(terms: VhtlcTerms, request: DelegateSettle): Promise<string | null>;
  /** `before`: a batch had the coins already, whoever was in it: no round was joined. */
  delegateSettle(
    terms: VhtlcTerms,
    request: DelegateSettle,
    signal: AbortSignal,
  ): Promise<{ commitmentTxid: Txid; before: boolean }>;

  /**
   * Calls `onScript` whenever the operator says that something happened at one of the scripts; says nothing of what.
   * Reconnects by itself and calls `onGap` after each time that it may have missed something.
   */
  watch(handlers: { onScript(script: Uint8Array): void; onGap(): void }): ArkadeSubscription;
}

export interface ArkadeSubscription {
  add(scripts: readonly Uint8Array[]): void;
  remove(scripts: readonly Uint8Array[]): void;
  stop(): Promise<void>;
}
