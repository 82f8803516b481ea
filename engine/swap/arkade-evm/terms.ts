import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { PublicKey, Sha256 } from '../../domain/hash.ts';
import type { Sats, TokenAmount } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { BridgeTerms } from '../../legs/evm/bridge.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import type { SentState } from '../../legs/evm/events.ts';
import type { LockTerms } from '../../legs/evm/swap-key.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import type { RecordToken } from '../evm-record.ts';
import type {
  Claiming,
  Funded,
  Lapsed,
  Pending,
  Refunded,
  SourceTerms,
  Stopped,
  Unwatched,
} from '../vhtlc-source/terms.ts';

/**
 * Arkade to EVM. The client funds a VHTLC; once the coin is good we lock a BTC-pegged token, or the native coin, for the
 * client on an EVM chain. The client's claim there shows its secret, and that claims the VHTLC (facts/clients.md 2).
 *
 * Loses money when wrong: a lock against a coin that is short, gone, or refundable before the lock can be taken back; a
 * refund of the client's cosigned while the lock may still be claimed; a lock that is never taken back.
 */
export interface ArkadeEvmTerms extends SourceTerms {
  /** SHA-256 of the client's secret. */
  readonly hash: Sha256;
  /** Of the VHTLC. */
  readonly address: string;
  readonly serverKey: PublicKey;
  /** The client's refund key as it was sent, for the record. */
  readonly clientKeyText: string;
  /** What the lock is worth. */
  readonly targetSats: Sats;
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
  /** Our lock, refundable to our own account: neither more nor less is locked (facts/clients.md 35). */
  readonly lock: LockTerms;
  readonly pegged: RecordToken;
  /** What the client receives in the end, and how much of it: of another token than the locked one as it was quoted. */
  readonly target: RecordToken;
  readonly targetAmount: TokenAmount;
  /** What a claim by signature must bring of that token at least, in its smallest units. */
  readonly floor: bigint;
  readonly targetAddress: EvmAddress;
  /** Where the target goes on to after the claim, then USDC on the chain of the lock; left out where it stays. */
  readonly onward?: BridgeTerms;
  readonly gasless: boolean;
  /** Nothing is locked after this moment of the EVM chain's clock. */
  readonly lockBefore: Unix;
  /** Height of the EVM chain when the swap was made: no lock of its hash is older. */
  readonly since: number;
  /** Blocks that bury a transaction of this value, its own counted. */
  readonly burial: number;
  readonly policy: TimeoutPolicy;
}

/** `halted`: the contract has done already what we came for, they say; a look that began later says what it was. */
interface Halted {
  readonly halted?: Unix;
}

/** A relay of the client's claim: `txid` once it is signed and saved, `taken` the variant of it that a node took, `by` the one that was mined. */
export interface Relay {
  readonly txid: Txid | null;
  readonly taken?: Txid;
  readonly by?: Txid;
}

/** Our lock stands, or stood. */
export interface Locked extends Funded {
  /** The transaction of ours that made it; null where it was there already. */
  readonly sent: Txid | null;
  /** The mined one. */
  readonly fundTxid: Txid;
}

/** `reverts`: relays that failed, each of which cost gas. `refusal`: why the last one came to nothing. */
interface Claimable extends Locked {
  readonly reverts: number;
  readonly refusal?: string;
}

/** The client claimed our lock, by `redeemTxid`. */
interface Redeemed extends Locked {
  readonly redeemTxid: Txid;
  readonly relay: Relay | null;
}

/**
 * The client's claim is not buried yet: its block may go, and then our lock stands again and is still the client's. `missing`:
 * since when, by the wall, the chain shows no claim and nothing of ours is on its way to make one. `flagged`: the owner was told.
 */
export interface Shallow extends Halted {
  readonly reverts: number;
  readonly refusal?: string;
  readonly missing?: Unix;
  readonly flagged?: true;
}

/** The VHTLC is ours; `shallow` ends with the claim's burial. */
export interface Claimed extends Redeemed, Unwatched {
  readonly at: 'claimed';
  readonly claimTxid: Txid | null;
  readonly shallow?: Shallow;
}

/** No lock of ours is known, but one might stand against this coin that this database forgot: a look that began later decides. */
interface Doubt {
  readonly doubt?: { readonly since: Unix } & Pick<Funded, 'coin' | 'surplus'>;
}

/** Our lock went back to us by `returnTxid`, for good. */
export interface Returned {
  readonly fundTxid: Txid;
  readonly returnTxid: Txid;
}

/** `redeemTxid`: a claim of the client's that is not buried yet, while a refund of ours was on its way. */
export interface Refunding extends Locked, Halted {
  readonly at: 'refunding';
  readonly refundTxid: Txid | null;
  readonly relay: Relay | null;
  readonly redeemTxid?: Txid;
}

export type ArkadeEvmProgress =
  | Pending
  | ({ readonly at: 'funded' } & Funded & Halted)
  | ({ readonly at: 'locking'; readonly sent: Txid } & Funded)
  | ({ readonly at: 'locked' } & Claimable)
  /** The client's claim is being signed and sent by us: no node is known to have it. */
  | ({ readonly at: 'relaying'; readonly relay: Relay } & Claimable & Halted)
  /** A node has it, or a block. */
  | ({ readonly at: 'relayed'; readonly relay: Relay } & Claimable)
  | Refunding
  | (Claiming & Redeemed)
  | Claimed
  /** The client left with the coin after it had our lock. */
  | ({ readonly at: 'lost' } & Redeemed & Unwatched)
  | (Omit<Stopped, 'at' | 'why'> & { readonly at: 'returned' } & Returned)
  | (Stopped & Doubt)
  | Lapsed
  | (Refunded & { readonly returned?: Returned });

/** What is new of a relay: the variant that a node took, or a block has; null where nothing is. */
export function followed(relay: Relay, state: SentState): Relay | null {
  if (state.is === 'waiting' && state.taken !== null && relay.taken !== state.taken)
    return { ...relay, taken: state.taken };
  return state.is === 'mined' && relay.by !== state.by ? { txid: relay.txid, by: state.by } : null;
}

/** Its hash, as somebody else can look it up by now: of what a block has, or a node took. */
export function hashOf({ by, taken }: Relay): Txid | null {
  return by ?? taken ?? null;
}

/** The part of a state that stays the swap's once our lock stands. */
export function lockedOf(p: Locked): Locked {
  return { coin: p.coin, surplus: p.surplus, strays: p.strays, sent: p.sent, fundTxid: p.fundTxid };
}

/** What stays of it while its claims come and go. */
export function claimableOf(p: Claimable): Claimable {
  return { ...lockedOf(p), reverts: p.reverts, ...(p.refusal === undefined ? {} : { refusal: p.refusal }) };
}
