import type { EvmNetwork } from '../../../../domain/chain.ts';
import type { EvmAddress } from '../../../../domain/evm.ts';
import { sameBytes, type Sha256 } from '../../../../domain/hash.ts';
import type { Sats } from '../../../../domain/money.ts';
import type { Txid } from '../../../../domain/outpoint.ts';
import { furthest, unix, type Clocks, type Unix } from '../../../../domain/time.ts';
import type { EvmPurpose } from '../../../../legs/evm/acts.ts';
import type { SwapContracts } from '../../../../legs/evm/contracts.ts';
import type { Paid } from '../../../../legs/evm/paid.ts';
import type { LockTerms } from '../../../../legs/evm/swap-key.ts';
import type { RecordToken } from '../record.ts';
import type { TimeoutPolicy } from '../../../../legs/timeout-policy.ts';
import type { ClaimStates } from '../../claim.ts';
import type { StoppedFor } from '../../extra-coins.ts';

/**
 * The half of a swap that begins with a lock on an EVM chain which the client makes and we claim: what its terms and
 * states have in common, whatever is given for it.
 */
export interface EvmSourceTerms {
  readonly hash: Sha256;
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
  /** The client's lock but for its amount: through the coordinator, claimable by our account. */
  readonly lock: Omit<LockTerms, 'amount'>;
  /** The least that it must hold, in smallest units; there is no most (DECISIONS.md, "What counts as funding"). */
  readonly least: bigint;
  readonly pegged: RecordToken;
  /** Worth of `least`. */
  readonly sourceAmount: Sats;
  readonly feeSats: Sats;
  readonly networkFeeSats: Sats;
  /** The account that the client named as its own. */
  readonly clientAddress: EvmAddress;
  /** What the client gives, and how much of it was said at the create. */
  readonly source: RecordToken;
  readonly sourceUnits: bigint;
  /** The client wants to give just that, and all of it; else as much as the lock takes. */
  readonly sourcePinned: boolean;
  readonly gasless: boolean;
  /** Blocks that bury a lock of this value, and our claim of it, its own counted. */
  readonly confirmations: number;
  /** Height of the chain when the swap was made: no lock of its hash is older. */
  readonly since: number;
  /** End of the funding window, by our wall clock. */
  readonly fundBefore: Unix;
  /** Nothing is given for the lock after this moment of its chain's clock. */
  readonly payBefore: Unix;
  /** Two RPCs must agree on the lock before anything is given for it. */
  readonly agreed: boolean;
  /** The timeouts' relations as they were agreed. */
  readonly policy: TimeoutPolicy;
}

/** A lock that our account can claim, by its key. */
export interface Deposit {
  readonly lock: LockTerms;
  readonly key: Uint8Array;
  readonly txid: Txid;
  /** Whom the coordinator refunds; null where it did not make the lock, or does not say. */
  readonly depositor: EvmAddress | null;
  /** What that one gave of another token for it; missing where that is not known. */
  readonly paid?: Paid;
}

/**
 * A lock beside the swap's own: listed, never claimed, and given back on request once the swap is over (facts/faults.md
 * 6).
 */
export interface StrayLock extends Deposit {
  readonly taken: boolean;
}

/** A transaction of ours whose end is not known yet; `taken`: the variant of it that a node took. */
export interface Sent {
  readonly purpose: EvmPurpose;
  readonly txid: Txid;
  readonly taken?: Txid;
}

export interface Base {
  readonly sent: readonly Sent[];
  /** What the client's Permit2 signature gave of its own token, in smallest units; null where it was not relayed. */
  readonly given: bigint | null;
}

/**
 * A client's funding that we relay: `txid` once it is signed and saved, `mined` the variant that was, and when we heard
 * of it by the wall.
 */
export interface Relay {
  readonly txid: Txid | null;
  readonly mined: { readonly by: Txid; readonly heard: Unix } | null;
}

/**
 * `relays`: how many were begun, each of which may cost gas. `refusal`: why the last one came to nothing. `vanished`:
 * the lock was seen and is gone with its block, out of which it may come again.
 */
interface Fundable extends Base {
  readonly strays: readonly StrayLock[];
  readonly relay: Relay | null;
  readonly relays: number;
  readonly refusal: string | null;
  readonly vanished: boolean;
}

export interface Pending extends Fundable {
  readonly at: 'pending';
}

/** The right lock is there, and not buried yet. */
export interface Seen extends Fundable {
  readonly at: 'seen';
  readonly deposit: Deposit;
}

/** The swap's own lock, and what else came. */
export interface Deposited extends Base {
  readonly deposit: Deposit;
  readonly strays: readonly StrayLock[];
  /** A person was told that the chain does not show the lock any more. */
  readonly gone?: true;
}

export interface Claiming extends Deposited {
  readonly at: 'claiming';
  readonly claimTxid: Txid | null;
}

/**
 * A refund that we relay: of the lock with this key. `txid` once it is signed and saved, then of the variant that was
 * mined.
 */
export interface RefundRelay {
  readonly key: Uint8Array;
  readonly txid: Txid | null;
}

/**
 * What is left to do once a swap is over: its strays are watched, and their refund is signed. `refundsOfOthers`: of
 * locks that are not the client's, which use up none of its own.
 */
export interface Left {
  readonly unwatched: boolean;
  /** A client asked for a refund: its locks are watched until then at least. */
  readonly askedUntil: Unix | null;
  readonly refund: RefundRelay | null;
  readonly refunds: number;
  readonly refundsOfOthers: number;
  readonly refusal: string | null;
}

export const nothingAsked: Left = {
  unwatched: false,
  askedUntil: null,
  refund: null,
  refunds: 0,
  refundsOfOthers: 0,
  refusal: null,
};

/** The lock that the swap had counted as its own before it was called off: known by itself, whatever a look shows. */
export interface Counted {
  readonly counted?: Deposit;
}

/**
 * Nothing is given for what was locked: it is the client's to take back. `fenced`: we signed the refund of what was
 * counted, and claim that never again.
 */
export interface Stopped extends Base, Left, Counted {
  readonly at: 'stopped';
  readonly why: StoppedFor;
  readonly reason: string;
  readonly fenced: boolean;
  readonly strays: readonly StrayLock[];
}

/** Never funded, and so late that whoever locks now can take it back alone at once: no longer watched. */
export interface Lapsed {
  readonly at: 'lapsed';
}

export interface Refunded extends Base, Left, Counted {
  readonly at: 'refunded';
  readonly strays: readonly StrayLock[];
}

/** The states of a claim on an EVM chain. */
export interface EvmClaim extends ClaimStates {
  readonly waiting: Pending | Seen;
  /** Blocks that bury the lock. */
  readonly sight: number;
  readonly sure: Deposited;
  readonly claiming: Omit<Claiming, 'at'>;
  readonly claimed: Deposited & Left & { readonly claimTxid: Txid };
  readonly lost: Deposited & Left;
  readonly stopped: Stopped;
  readonly left: Omit<Stopped, 'at' | 'why'>;
  readonly seed: Pick<Deposited, 'deposit'>;
  readonly lapsed: Lapsed;
  readonly refunded: Refunded;
}

export function baseOf({ sent, given }: Base): Base {
  return { sent, given };
}

/** The part of a state that stays the swap's from funding to claim. */
export function depositedOf(p: Base & Pick<Deposited, 'deposit' | 'strays'>): Omit<Deposited, 'gone'> {
  return { ...baseOf(p), deposit: p.deposit, strays: p.strays };
}

export function stopped(why: StoppedFor, reason: string, p: Base, strays: readonly StrayLock[]): Stopped {
  return { at: 'stopped', why, reason, fenced: false, strays, ...baseOf(p), ...nothingAsked };
}

/** The swap had a lock, and nothing is given for it. */
export function givenBack(why: StoppedFor, reason: string, p: Omit<Deposited, 'gone'>): Stopped {
  return { ...stopped(why, reason, p, ownLocks(p)), counted: p.deposit };
}

export function countedOf({ counted }: Counted): Counted {
  return counted === undefined ? {} : { counted };
}

/** The client's lock as one that is its own again, beside the others. */
function ownLocks({ deposit, strays }: Pick<Deposited, 'deposit' | 'strays'>): StrayLock[] {
  return [{ ...deposit, taken: false }, ...strays];
}

export function isKey(key: Uint8Array): (one: { readonly key: Uint8Array }) => boolean {
  return (one) => sameBytes(one.key, key);
}

/** When the client can take its lock back alone, by the chain's clock. */
export function timelockOf({ lock }: Pick<EvmSourceTerms, 'lock'>): Unix {
  return unix(Number(lock.timelock));
}

/** The chain's clock, as far as it has come; 0 while it is unread. */
export function timeOf({ network }: EvmSourceTerms, now: Clocks): number {
  const chain = now[network];
  return chain === undefined ? 0 : (furthest(chain).mtp ?? 0);
}
