import type { EvmAddress } from '../../domain/evm.ts';
import type { Preimage, Sha256 } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { SwapContracts } from './contracts.ts';
import type { LockTerms } from './swap-key.ts';

export interface EvmTip {
  readonly height: number;
  /** 32 bytes as hex without 0x, as every id of a block or transaction here. */
  readonly hash: string;
  /** Block time. */
  readonly time: Unix;
}

/** A range of blocks, both ends included, and the HTLC whose logs are wanted of it. */
export interface LogRange {
  readonly htlc: EvmAddress;
  readonly from: number;
  readonly to: number;
}

/** One RPC of a chain as it stands now. */
export interface EvmHead {
  /** Of no other RPC of the chain. */
  readonly name: string;
  readonly own: boolean;
  /** False where its last block is so old that it stands still: of what it tells a preimage alone counts. */
  readonly counts: boolean;
  /** Its last block, by its own word. */
  readonly tip: EvmTip;
  /**
   * All events in a range of blocks by its own word, in the order of the chain; however long, asked for in pieces.
   * `wanted`: no others are held meanwhile.
   */
  events(range: LogRange, wanted?: (event: LockEvent) => boolean): Promise<readonly LockEvent[]>;
}

/** Where a chain is by the words of all of its RPCs that answer. */
export interface EvmHeads {
  /**
   * The highest block that enough of them name, and the latest time. Where one alone is left: no more blocks and time
   * than can have passed since others answered.
   */
  readonly tip: EvmTip;
  /** False while one alone is left of several: what it says may be taken back by the others. */
  readonly agreed: boolean;
  /**
   * The time up to which it is sure that a block no higher than the tip tells of everything, and how many seconds ago
   * that was by the wall.
   */
  readonly sure: { readonly time: Unix; readonly ago: number };
  readonly rpcs: readonly EvmHead[];
}

/** A log of an HTLC, read strictly: one of another form is left out. */
export interface LockEvent {
  readonly htlc: EvmAddress;
  readonly preimageHash: Sha256;
  readonly key: Uint8Array;
  readonly txid: Txid;
  readonly height: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly what:
    | { readonly is: 'created'; readonly terms: LockTerms }
    /** It fits the hash: a log with another one is left out. */
    | { readonly is: 'redeemed'; readonly preimage: Preimage }
    | { readonly is: 'refunded' };
}

export interface EvmReceipt {
  readonly ok: boolean;
  readonly height: number;
  readonly blockHash: string;
  /** Wei that the sender paid for gas. */
  readonly cost: bigint;
  readonly events: readonly LockEvent[];
  /** In their order, of whatever contract calls itself a token (EIP-20). */
  readonly transfers: readonly TokenTransfer[];
}

/** A log of a token: so many of its smallest units went from one account to another. */
export interface TokenTransfer {
  readonly token: EvmAddress;
  readonly from: EvmAddress;
  readonly to: EvmAddress;
  readonly amount: bigint;
  readonly logIndex: number;
}

/** What is to be called, from our account. */
export interface EvmCall {
  readonly to: EvmAddress;
  /** Wei. */
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** Wei for each unit of gas: as EIP-1559 has them, or one price where the chain takes the oldest form alone. */
export type GasFees =
  | { readonly is: 'dynamic'; readonly most: bigint; readonly tip: bigint }
  | { readonly is: 'legacy'; readonly price: bigint };

export interface EvmTransaction extends EvmCall {
  readonly nonce: number;
  readonly gas: bigint;
  readonly fees: GasFees;
}

export interface SignedTransaction {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
}

export type Simulation =
  | { readonly is: 'passes'; readonly gas: bigint }
  /** `reason`: what the contract says, in words; `data`: the bytes that it reverts with. */
  | { readonly is: 'reverts'; readonly reason: string; readonly data: Uint8Array };

export type EvmBroadcast =
  /** The node has it, now or already. */
  | { readonly is: 'accepted' }
  /** Another transaction was mined with its nonce, maybe a variant of it. */
  | { readonly is: 'nonce-used' }
  /** It pays too little: to replace what waits with its nonce, or for the node at all. */
  | { readonly is: 'underpriced' }
  | { readonly is: 'refused'; readonly reason: string };

/**
 * Who chose the contract that is read, where that was no owner: whoever names it, the client of a swap that is to be
 * funded, or one that claims a lock of ours. It may be as slow as it likes: each has places of its own at each RPC, so
 * that no price that a stranger wants keeps a swap waiting, and a part of the gas, and how it fails is no word about an
 * RPC (facts/faults.md 362, 375).
 */
export type ChosenBy = 'client' | 'funding' | 'claim';

export interface TokenFacts {
  readonly decimals: number;
  readonly symbol: string;
  readonly name: string;
}

/** One of our contracts, where its code alone decides. */
export interface ContractHere {
  readonly name: string;
  readonly address: EvmAddress;
  /** What the CREATE2 deployer is given. */
  readonly data: Uint8Array;
  /** Units of gas that its deployment takes by its bytes alone, whatever anybody estimates. */
  readonly leastGas: bigint;
  /**
   * `stands`: every RPC shows it, to the byte and in its answers. `missing`: every one shows nothing. `doubt`: one of
   * them says something else, or nothing.
   */
  readonly state: { readonly is: 'stands' | 'missing' } | { readonly is: 'doubt'; readonly sentence: string };
}

export interface ContractsHere {
  /** What they need below them, as a sentence where an RPC does not show it; null where nothing lacks. */
  readonly lacking: string | null;
  readonly contracts: readonly ContractHere[];
}

/**
 * No more than two RPCs say, where there are two that answer; `alone`: one of several is all that answers, and nobody
 * backs its word.
 */
interface Nonces extends MinedCount {
  readonly pending: number;
}

interface MinedCount {
  readonly mined: number;
  readonly alone?: true;
}

/**
 * One EVM chain, over all RPCs that the owner gave for it, and the account that we have on it. Reading is safe to
 * repeat. `sign` and `signRefund` are *prepare*: nothing is sent. `broadcast` has the bytes as *natural key*: the same
 * ones again are the same transaction. Every method rejects with a `PortFailure`; what no RPC answered is unknown,
 * never no.
 */
export interface EvmPort {
  /** Who it is: its id, and the hash of its first block. */
  identity(): Promise<{ readonly chainId: number; readonly genesis: string }>;
  /** `heads().tip`. */
  tip(): Promise<EvmTip>;
  heads(): Promise<EvmHeads>;
  /**
   * Asks each of its RPCs for the number of its last block, the cheapest question that there is, and tells each answer
   * as it comes: nobody waits for one that hangs. One that did not answer the last time yet is not asked again.
   * Resolves when nothing more comes. A number is one RPC's word: good for when to look, and for nothing else.
   */
  heights(tell: (rpc: string, height: number) => void): Promise<void>;
  /** Notes for a while that its RPCs contradict each other: a sentence for `disagreement`. */
  doubt(sentence: string): void;
  /**
   * Its RPCs, in the owner's order, each with why it did not answer when it was asked last; null where it did. `own`:
   * at an address of the owner's.
   */
  rpcs(): readonly { readonly name: string; readonly own: boolean; readonly failure: string | null }[];
  /** Why its RPCs are not believed enough to begin anything new; null while they agree. */
  disagreement(): string | null;
  /**
   * All events of an HTLC in a range of blocks as they stand by its RPCs together (`standingLogs`), in the order of the
   * chain.
   */
  events(range: LogRange): Promise<readonly LockEvent[]>;
  /**
   * Of a mined transaction; null where it is not mined as far as is known, nor while half of the RPCs that answer say
   * otherwise. `agreed`: two RPCs must say the very same, where there are two.
   */
  receipt(txid: Txid, how?: { readonly agreed: boolean }): Promise<EvmReceipt | null>;
  /** Whether the lock stands now. `agreed`: as above. */
  isActive(htlc: EvmAddress, lock: LockTerms, how?: { readonly agreed: boolean }): Promise<boolean>;
  /** Whom the coordinator notes for a lock now; null for none. */
  depositor(coordinator: EvmAddress, key: Uint8Array): Promise<EvmAddress | null>;
  /**
   * Whom it noted when the lock was made, in this block: by more than half of the RPCs that answer, and null where they
   * are not of one mind or cannot say. What the coordinator noted with the lock it notes for nobody later: the answer
   * holds as long as the block does.
   */
  depositorIn(
    block: { readonly height: number; readonly hash: string },
    coordinator: EvmAddress,
    key: Uint8Array,
  ): Promise<EvmAddress | 'nobody' | null>;
  /** Our account: it pays the gas of everything, locks, claims and is refunded. */
  account(): EvmAddress;
  /** How many transactions of our account are mined, and how many the nodes know of. */
  nonces(): Promise<Nonces>;
  /** The same of another account: how many of its transactions are mined. */
  minedOf(account: EvmAddress): Promise<MinedCount>;
  /** Carries the call out on the latest state without sending it. */
  simulate(call: EvmCall): Promise<Simulation>;
  /** What a transaction pays to be in one of the next blocks. */
  gasFees(): Promise<GasFees>;
  sign(transaction: EvmTransaction): SignedTransaction;
  /** A 32-byte digest, by our account's key: `v` 27 or 28. */
  signDigest(digest: Uint8Array): { readonly v: number; readonly r: Uint8Array; readonly s: Uint8Array };
  /** To every RPC. */
  broadcast(bytes: Uint8Array): Promise<EvmBroadcast>;
  /**
   * Smallest units of a token, or wei for the zero address, by the first RPC that answers; `least`: by the first that
   * says so many, where there is any.
   */
  balance(token: EvmAddress, of: EvmAddress, least?: bigint, by?: ChosenBy): Promise<bigint>;
  /**
   * What enough of the RPCs that answer, and are not behind, say that it is at least: for what is given by it
   * (facts/faults.md 283). Of one that answers alone the word counts.
   */
  sureBalance(token: EvmAddress, of: EvmAddress): Promise<bigint>;
  /** As `balance`, of what an account lets another one take of a token. */
  allowance(token: EvmAddress, owner: EvmAddress, spender: EvmAddress, least?: bigint, by?: ChosenBy): Promise<bigint>;
  /** As `sureBalance`, of the same. */
  sureAllowance(token: EvmAddress, owner: EvmAddress, spender: EvmAddress): Promise<bigint>;
  /** Our contracts for the chain, by the word of each of its RPCs: one that is silent leaves a doubt. */
  ownContracts(): Promise<ContractsHere>;
  /**
   * Whether code stands at each of the addresses, and stood there so many blocks ago (1 is the latest), by every RPC
   * that answers; one that keeps no state of then says what stands now.
   */
  stands(addresses: readonly EvmAddress[], confirmations: number): Promise<boolean>;
  /** Whether the HTLC of a pair is ours, to the byte of its code, by those who must agree. */
  isOurs(contracts: SwapContracts): Promise<boolean>;
  /**
   * What a token says of itself. `agreed`: as above; by its decimals every amount of it is counted (facts/faults.md
   * 115). `by`: who chose it.
   */
  token(token: EvmAddress, how?: { readonly agreed?: boolean; readonly by?: ChosenBy }): Promise<TokenFacts>;
  /**
   * How much of a token a mined transaction brought to an account, in smallest units, by the logs of the token
   * (EIP-20); null where it is not mined as far as is known. Not for the coin of the chain, which leaves no log.
   */
  received(txid: Txid, of: { readonly token: EvmAddress; readonly to: EvmAddress }): Promise<bigint | null>;
  /**
   * What a view of a contract answers; `evm-reverted` where it reverts. `agreed`: at the tip of the chain, and two RPCs
   * say it, where there are two. `by`: who chose it, or a token that it asks.
   */
  read(
    call: Pick<EvmCall, 'to' | 'data'>,
    how?: { readonly agreed?: boolean; readonly by?: ChosenBy },
  ): Promise<Uint8Array>;
}
