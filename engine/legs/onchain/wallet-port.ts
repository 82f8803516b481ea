import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Preimage } from '../../domain/hash.ts';
import type { CoinRef } from '../psbt.ts';
import type { RawOutput } from '../raw-tx.ts';
import type { KeyRef } from '../signer.ts';
import type { AnchorChildRequest, PreparedAnchorChild, PreparedCpfp, CpfpRequest } from './child.ts';
import type { WalletCoin } from './wallet-coin.ts';
import type { HtlcSpend } from './htlc-spend.ts';
import type { HtlcTerms, MusigHtlcTerms } from './htlc.ts';
import type { KeySpend } from './key-spend.ts';
import type { FeeReserve } from './fee-reserve.ts';

/**
 * A payment out of the wallet, signed and not sent. Prepared again over the same coins it replaces itself (BIP-125).
 */
export interface PreparedSend {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
  readonly coins: readonly WalletCoin[];
  /** What comes back to the wallet, at the second output; null when it would be dust. */
  readonly change: { readonly amount: Sats; readonly key: KeyRef } | null;
  readonly fee: Sats;
  /** Sats per virtual byte. */
  readonly rate: number;
  /** It pays as much as it ever can: nothing is left to raise the fee from. */
  readonly capped: boolean;
}

/** What is kept of it beside the bytes. */
export type SavedSend = Omit<PreparedSend, 'bytes'>;

export interface SendRequest {
  readonly script: Uint8Array;
  readonly amount: Sats;
  /** Coins that are promised to transactions already. */
  readonly reserved: readonly Outpoint[];
  /** Above it nothing is prepared; left out where whoever asks has judged the fee. */
  readonly mostFee?: Sats;
  /** No fee above three times what a second source asks, where one answers. */
  readonly doubted?: boolean;
  /** What is kept for fees, and neither spent nor cut into. */
  readonly reserve?: FeeReserve;
  /** Coins that it spends in any case, before all others: by them it is in conflict with a payment that it replaces. */
  readonly keep?: readonly WalletCoin[];
  /** Blocks within which it is to be mined; six where left out. */
  readonly within?: number;
}

/** What a payment would cost now. */
interface SendCost {
  /** Sats per virtual byte that the chain asks. */
  readonly rate: number;
  readonly fee: Sats;
}

export interface BumpRequest {
  readonly script: Uint8Array;
  readonly amount: Sats;
  /** What it replaces: the same coins, more of them to the miner. */
  readonly replaces: Pick<SavedSend, 'coins' | 'change' | 'fee'>;
  /**
   * Sats per virtual byte that it must pay at least; 0 asks for what the chain wants now, which may be less than
   * before.
   */
  readonly leastRate: number;
  readonly mostFee: Sats;
  /** No fee above three times what a second source asks, where one answers. */
  readonly doubted?: boolean;
  /** As of a payment. */
  readonly within?: number;
}

/** A payment that must not be replaced, and whose change pays for it once it waits. */
interface FundingRequest {
  readonly script: Uint8Array;
  readonly amount: Sats;
  readonly reserved: readonly Outpoint[];
  /** Sats per virtual byte. */
  readonly rate: number;
  readonly mostFee: Sats;
  /** What its change holds at least. */
  readonly leastChange: Sats;
  /** What is kept for fees, and neither spent nor cut into. */
  readonly reserve: FeeReserve;
  /**
   * Its change is cut into coins of these amounts, the first first, as far as it holds them: what waits for a coin then
   * finds one of its own.
   */
  readonly pieces: readonly Sats[];
}

/** One coin is made into several, each of which pays for a transaction of its own in the same block. */
interface FeeSplitRequest {
  readonly reserved: readonly Outpoint[];
  /** Transactions that are ready and that nothing pays for yet. */
  readonly ready: number;
  /** What the dearest of their ways costs from here on, at this rate. */
  readonly cost: Sats;
  /** Sats per virtual byte. */
  readonly rate: number;
  readonly mostFee: Sats;
}

interface PreparedFeeSplit {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
  readonly coins: readonly Outpoint[];
  readonly fee: Sats;
  /** How many coins it makes. */
  readonly pieces: number;
  /** The one that waits and in whose place it comes, from the same coin. */
  readonly replaces: Txid | null;
}

/** A payment of one coin to ourselves, so that whatever else spends it is never mined. */
interface CancelRequest {
  readonly coin: WalletCoin;
  /** Sats per virtual byte. */
  readonly rate: number;
  readonly mostFee: Sats;
}

/** A payment to ourselves, signed and not sent. */
type PreparedCancel = Pick<PreparedCpfp, 'txid' | 'bytes' | 'fee' | 'rate'>;

/** A claim where there is a preimage, else a refund. */
interface OwnHtlcSpend {
  readonly terms: HtlcTerms;
  readonly key: KeyRef;
  readonly coin: CoinRef;
  readonly preimage?: Preimage;
  /** Sats per virtual byte. */
  readonly feeRate: number;
  readonly mostFee: Sats;
}

/** A spend that both sides of an HTLC sign together, as it was judged. */
export interface HtlcCosign {
  readonly terms: MusigHtlcTerms;
  readonly key: KeyRef;
  readonly spend: KeySpend;
  /** The public nonce of the other side. */
  readonly theirs: Uint8Array;
}

/** A spend of an HTLC's coin that we ask its other side to sign with us. */
export interface OwnJointSpend extends Omit<OwnHtlcSpend, 'terms' | 'preimage'> {
  readonly terms: MusigHtlcTerms;
}

/** What the other side of an HTLC gives for a spend by the key of both, before anything of it is verified. */
export interface TheirPartial {
  readonly publicNonce: Uint8Array;
  readonly partial: Uint8Array;
}

/** Such a spend, with a nonce of ours that signs it once and is nowhere but in memory. */
export interface OpenJointSpend {
  readonly spend: KeySpend;
  /** What the other side is shown of the nonce. */
  readonly publicNonce: Uint8Array;
  /** Says that the spend is asked for by us, where it is a refund (`refundAsk`). */
  readonly consent: Uint8Array;
  /** Whether what the other side gives makes a signature with ours: nothing is signed by asking. */
  fits(theirs: TheirPartial): boolean;
  /**
   * The signature of both, verified; null where the answer of the other side makes none. Of ours nothing but that
   * signature ever leaves. Throws the second time.
   */
  join(theirs: TheirPartial): HtlcSpend | null;
}

/** Coins joined or split, at a rate that is low. */
export interface ConsolidationRequest {
  readonly reserved: readonly Outpoint[];
  readonly reserve: FeeReserve;
  /** Sats per virtual byte. */
  readonly rate: number;
  readonly mostFee: Sats;
}

export interface BitcoinBalance {
  /** In coins that can be spent: confirmed, and no reward of a miner that is younger than 100 blocks. */
  readonly available: Sats;
  /** In coins that wait for that. */
  readonly pending: Sats;
  /** Each that can be spent, whose sum is what is available. */
  readonly coins: readonly Sats[];
}

/**
 * The owner's coins on the Bitcoin chain. Reading is safe to repeat. All preparations are *prepare*: they choose, sign
 * and send nothing, and what they choose is nobody's until a commit reserves it. They reject with a `PortFailure`:
 * `no-coins` (safe) when the confirmed coins do not suffice, `coins-wait` (safe) when they will with those that wait
 * for a block, `dust` and `no-room` (never) when no transaction could, `too-dear` (never) when it would cost more than
 * allowed.
 */
export interface BitcoinWalletPort {
  /** One that was not paid yet, as far as the chain shows. */
  address(): Promise<string>;
  balance(reserved: readonly Outpoint[]): Promise<BitcoinBalance>;
  /**
   * The most that could arrive at a script now, at the rate of now; with nothing but that in it such a payment has no
   * change.
   */
  mostSendable(
    request: Required<Pick<SendRequest, 'script' | 'reserved' | 'reserve'>> & Pick<SendRequest, 'within'>,
  ): Promise<Sats>;
  /** What `prepareSend` would take now, or why it would refuse: nothing is signed, and no key is taken. */
  costOfSend(request: SendRequest): Promise<SendCost>;
  prepareSend(request: SendRequest): Promise<PreparedSend>;
  prepareBump(request: BumpRequest): Promise<PreparedSend>;
  /** From confirmed coins, and signalling no replacement (BIP-125). */
  prepareFunding(request: FundingRequest): Promise<PreparedSend>;
  /**
   * A payment of this amount to the script by a transaction that a coin of the wallet comes from, in a block or not,
   * and whoever spent it since: looked for backwards from the coins that the wallet has, to the height `since`. Null
   * where none is found, which is no proof that there is none.
   */
  paymentTo(script: Uint8Array, amount: Sats, since: number): Promise<Outpoint | null>;
  /**
   * What transactions paid to others that left the wallet its change, in a block from the height `since` on or in none:
   * looked for in the same way, so that it may not be all.
   */
  paidOut(since: number): Promise<readonly Outpoint[]>;
  /** Whether the wallet's confirmed coins are worth joining or splitting now. */
  wantsConsolidation(request: ConsolidationRequest): Promise<boolean>;
  /** To the wallet itself, and without change; `no-coins` (never) when there is nothing to do. */
  prepareConsolidation(request: ConsolidationRequest): Promise<PreparedSend>;
  /** Null when there is no room for a child that is worth anything. */
  prepareCpfp(request: CpfpRequest): Promise<PreparedCpfp | null>;
  /**
   * From confirmed coins, by the anchor of a transaction without a fee; null when there is no room for one that nodes
   * relay.
   */
  prepareAnchorChild(request: AnchorChildRequest): Promise<PreparedAnchorChild | null>;
  /**
   * Of the largest confirmed coin, where there are fewer coins than transactions to pay for; null where there are
   * enough, or where it is too small to be any use. One that waits in the mempool already is replaced where the rate is
   * worth it, and none is made beside it.
   */
  prepareFeeSplit(request: FeeSplitRequest): Promise<PreparedFeeSplit | null>;
  /** The coin with the key of the wallet that it lies at, spent or not; null where none is. */
  coinAt(outpoint: Outpoint, output: RawOutput): Promise<WalletCoin | null>;
  /** Replaceable (BIP-125); null when the coin is not worth one sat per virtual byte. */
  prepareCancel(request: CancelRequest): Promise<PreparedCancel | null>;
  /**
   * Our partial signature for a spend by the key of both, by a nonce that is made here and signs nothing else; null
   * where the other side's nonce is none. Whoever asks has noted what it is for.
   */
  cosignHtlc(cosign: HtlcCosign): Promise<{ readonly shown: Uint8Array; readonly partial: Uint8Array } | null>;
  /** To the wallet's own address, by the key of both; null when the coin is not worth one sat per virtual byte. */
  openJointSpend(spend: OwnJointSpend): Promise<OpenJointSpend | null>;
  /** Paid to the wallet's own address; null when the coin is not worth one sat per virtual byte. */
  prepareHtlcSpend(spend: OwnHtlcSpend): Promise<HtlcSpend | null>;
  /**
   * Looks at `keysAtOnce` keys of each branch, the first of them so far beyond the last one that was given out, and
   * takes those at which coins lie: for words whose database is lost or old. Whether there were any; then those beyond
   * are counted from there on.
   */
  lookBeyond(last: number): Promise<boolean>;
}
