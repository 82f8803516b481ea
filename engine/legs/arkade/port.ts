import type { PublicKey } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { KeyRef } from '../signer.ts';
import type { BatchOffer, BatchPayout } from './batch.ts';
import type { Exit } from './exit.ts';
import type { OperatorInfo } from './operator.ts';
import type { CollabRefund, DelegateRefund, DelegateSettle, SenderSigns } from './refund-request.ts';
import type { VhtlcTerms } from './terms.ts';
import type { ArkTxState, PreparedArkTx, SubmitAnswer } from './transaction.ts';
import type { SpendableCoin } from './spendable.ts';
import type { OnChainCoin, Vtxo, WalletTerms, WalletVtxo } from './vtxo.ts';

export interface ArkadeBalance {
  /** What a payment of now can take; of coins that are taken to the chain nothing is counted here. */
  readonly available: Sats;
  /** What a batch alone can move: past its expiry, or under terms that the operator left. */
  readonly recoverable: Sats;
  /** Reserved for what is under way, or in a batch now. */
  readonly pending: Sats;
  /** The coins of `available`: each is to be had until it expires, and may back only what is over before. */
  readonly coins: readonly SpendableCoin[];
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
  /**
   * Every script that the wallet has coins at or had, the present one first: an operator that changes its signer or
   * delay leaves the old ones behind.
   */
  walletScripts(): Promise<readonly Uint8Array[]>;
  balance(reserved: readonly Outpoint[]): Promise<ArkadeBalance>;
  /** Every coin that ever paid one of the scripts, spent ones included, in one round of requests. */
  coins(scripts: readonly Uint8Array[]): Promise<Vtxo[]>;
  /** Coins as they are now; those that the operator does not know are left out. */
  coinsAt(points: readonly Outpoint[]): Promise<Vtxo[]>;
  /** The wallet's own coins, unspent, recoverable ones included. */
  walletCoins(): Promise<WalletVtxo[]>;
  /**
   * Coins of the wallet that lie on the chain and that no spend at the operator took, from its list of all that was
   * ever spent: much to read, for a node that does not know any more what it had.
   */
  strandedCoins(): Promise<WalletVtxo[]>;
  /** The script of the wallet under these terms: asks the operator nothing. */
  scriptUnder(under: WalletTerms): Promise<Uint8Array>;
  /** Virtual transactions by id, as PSBT bytes; unknown ids are left out. */
  virtualTxs(txids: readonly Txid[]): Promise<Map<Txid, Uint8Array>>;
  /**
   * The transactions between the chain and a coin, as PSBT bytes, but for those that `has` names; commitments are left
   * out. Nothing is verified.
   */
  exitTxs(coin: Outpoint, has: (txid: Txid) => boolean): Promise<Map<Txid, Uint8Array>>;

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
   * Left out, `to` is the key of the wallet itself, and `mostFee` half of the coin. Rejects with `too-small` when the
   * coin is not worth its fee.
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
   * Spends coins of the wallet that lie on the chain by the leaf that needs nobody else, all into one output, and asks
   * the operator nothing. `coins` of the answer are those that are worth their fee; rejects with `too-small` when none
   * is.
   */
  prepareSweep(sweep: {
    coins: readonly OnChainCoin[];
    to?: Uint8Array;
    feeRate: number;
  }): Promise<Exit & { readonly coins: readonly (Outpoint & { readonly amount: bigint })[] }>;
  /**
   * What prepared bytes hold of transactions with every signature, the operator's too, as PSBTs: none before it
   * accepted them. Asks the operator nothing.
   */
  signedTxs(bytes: Uint8Array): Promise<Map<Txid, Uint8Array>>;
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
   *
   * A batch that has the coins already is ours by what they were handed over for alone, exactly that, and by a coin
   * that no other ones came to: else one payment of a stranger's would stand for any number of coins
   * (facts/faults.md 349).
   * `begin` is told before they are handed over, and `begun` is what it was told before this process began; `isFree`
   * says whether a coin that a batch paid stands for no other ones yet. Where none of it is left, it is
   * what they would be handed over for now, paid no later than `forgottenUntil`: whoever pays exactly that, once for
   * these coins, leaves us whole; and later ones of ours are in `begun`.
   */
  settle(spend: {
    terms: VhtlcTerms;
    key: KeyRef;
    coins: readonly Vtxo[];
    leaf: 'claim' | 'refund-without-receiver';
    preimage?: Uint8Array;
    to?: Uint8Array;
    mostFee?: Sats;
    begin?: (payout: BatchPayout) => void;
    begun?: readonly BatchPayout[];
    forgottenUntil?: Unix | null;
    isFree?: (paid: Outpoint) => boolean;
    signal: AbortSignal;
  }): Promise<{ commitmentTxid: Txid; fee: Sats; paid: Outpoint }>;
  /**
   * Moves wallet coins that expire before `before`, and recoverable ones, into one fresh coin through a batch. Once a
   * coin that no batch has taken yet is from before `preconfirmedBefore`, all such coins are due, and stay as many:
   * whoever unrolls a coin takes along what shares those transactions (facts/faults.md 56). `choose` is told what the
   * operator asks, saves what is about to be done, and answers the coins to take: none of them, and nothing is done. It
   * is asked again when the operator changed its fee meanwhile.
   */
  renew(renewal: {
    before: Unix;
    preconfirmedBefore?: Unix;
    reserved: readonly Outpoint[];
    choose: (offer: BatchOffer) => readonly Vtxo[];
    signal: AbortSignal;
  }): Promise<{ commitmentTxid: Txid; fee: Sats } | null>;

  /**
   * Judges a refund before the swap is closed for it: null when `cosign` would sign, else the sentence of the refusal.
   */
  judgeCollabRefund(terms: VhtlcTerms, refund: CollabRefund, senderSigns?: SenderSigns): Promise<string | null>;
  judgeDelegateRefund(terms: VhtlcTerms, refund: DelegateRefund): Promise<string | null>;
  /** The service's half of a collaborative refund; the caller has judged it and closed the swap. */
  cosign(terms: VhtlcTerms, key: KeyRef, refund: CollabRefund, senderSigns?: SenderSigns): Promise<CollabRefund>;
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
