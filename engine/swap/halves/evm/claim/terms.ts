import { z } from 'zod';
import { sameBytes } from '../../../../domain/hash.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { evmPurpose } from '../../../../legs/evm/acts.ts';
import { paid } from '../../../../legs/evm/paid.ts';
import { evmAddress, evmNetworkName, lockFields, lockTerms, swapContracts } from '../../../../legs/evm/shape.ts';
import { evmTime, lockEnd } from '../../../../legs/evm/timelocks.ts';
import { bytes, listOf, partOf, sha256, txid, unix, type StatesOf, type ValueOf } from '../../../../legs/shape.ts';
import { clientText, recordToken } from '../record.ts';
import type { ClaimStates } from '../../claim.ts';
import { claimTerms } from '../../claim-terms.ts';
import { stoppedFor, type StoppedFor } from '../../extra-coins.ts';

/**
 * The half of a swap that begins with a lock on an EVM chain which the client makes and we claim: what its terms and
 * states have in common, whatever is given for it.
 */
export const sourceTerms = {
  ...claimTerms,
  hash: sha256,
  network: evmNetworkName,
  contracts: swapContracts,
  /** The client's lock but for its amount: through the coordinator, claimable by our account. */
  lock: z.strictObject(lockFields),
  /** The least that it must hold, in smallest units; there is no most (DECISIONS.md, "What counts as funding"). */
  least: z.bigint(),
  pegged: recordToken,
  /** The account that the client named as its own. */
  clientAddress: evmAddress,
  clientText,
  /** What the client gives, and how much of it was said at the create. */
  source: recordToken,
  sourceUnits: z.bigint(),
  /** The client wants to give just that, and all of it; else as much as the lock takes. */
  sourcePinned: z.boolean(),
  gasless: z.boolean(),
  /** Blocks that bury a lock of this value, and our claim of it, its own counted. */
  confirmations: z.number(),
  /** Height of the chain when the swap was made: no lock of its hash is older. */
  since: z.number(),
  /** Nothing is given for the lock after this moment of its chain's clock. */
  payBefore: unix,
  /** Two RPCs must agree on the lock before anything is given for it. */
  agreed: z.boolean(),
};
export type EvmSourceTerms = ValueOf<typeof sourceTerms>;

const locked = {
  lock: lockTerms,
  key: bytes,
  txid,
  /** Whom the coordinator refunds; null where it did not make the lock, or does not say. */
  depositor: evmAddress.nullable(),
  /** What that one gave of another token for it; missing where that is not known. */
  paid: paid.exactOptional(),
};
/** A lock that our account can claim, by its key. */
export const deposit = z.strictObject(locked);
export type Deposit = ValueOf<typeof locked>;

/**
 * A lock beside the swap's own: listed, never claimed, and given back on request once the swap is over (facts/faults.md
 * 6). `back`: the transaction that refunded it, where that was seen.
 */
const extraLock = { ...locked, taken: z.boolean(), back: txid.exactOptional() };
const extras = listOf(z.strictObject(extraLock));
export type ExtraLock = ValueOf<typeof extraLock>;

/** A transaction of ours whose end is not known yet; `taken`: the variant of it that a node took. */
const sent = { purpose: evmPurpose, txid, taken: txid.exactOptional() };
export type Sent = ValueOf<typeof sent>;

const base = {
  sent: listOf(z.strictObject(sent)),
  /** What the client's Permit2 signature gave of its own token, in smallest units; null where it was not relayed. */
  given: z.bigint().nullable(),
};
export type Base = ValueOf<typeof base>;

/**
 * A client's funding that we relay: `txid` once it is signed and saved, `mined` the variant that was, and when we heard
 * of it by the wall.
 */
const relay = { txid: txid.nullable(), mined: z.strictObject({ by: txid, heard: unix }).nullable() };
export type Relay = ValueOf<typeof relay>;

/**
 * `relays`: how many were begun, each of which may cost gas. `refusal`: why the last one came to nothing. `vanished`:
 * the lock was seen and is gone with its block, out of which it may come again.
 */
const fundable = {
  ...base,
  extras,
  relay: z.strictObject(relay).nullable(),
  relays: z.number(),
  refusal: z.string().nullable(),
  vanished: z.boolean(),
};

/** The swap's own lock, and what else came. */
const own = { ...base, deposit, extras };
/** `gone`: a person was told that the chain does not show the lock any more. */
const deposited = { ...own, gone: z.literal(true).exactOptional() };
export type Deposited = ValueOf<typeof deposited>;

/**
 * A refund that we relay: of the lock with this key. `txid` once it is signed and saved, then of the variant that was
 * mined.
 */
const refund = { key: bytes, txid: txid.nullable() };
export type RefundRelay = ValueOf<typeof refund>;

/** What is left to do once a swap is over: its extras are watched, and their refund is signed. */
const left = {
  unwatched: z.boolean(),
  /** A client asked for a refund: its locks are watched until then at least. */
  askedUntil: unix.nullable(),
  refund: z.strictObject(refund).nullable(),
  refunds: z.number(),
  /** Of locks that are not the client's, which use up none of its own. */
  refundsOfOthers: z.number(),
  refusal: z.string().nullable(),
};
export type Left = ValueOf<typeof left>;

export const nothingAsked: Left = {
  unwatched: false,
  askedUntil: null,
  refund: null,
  refunds: 0,
  refundsOfOthers: 0,
  refusal: null,
};

/** The lock that the swap had counted as its own before it was called off: known by itself, whatever a look shows. */
const counted = { counted: deposit.exactOptional() };
export type Counted = ValueOf<typeof counted>;

/** Stored fields of each state. */
export const sourceFields = {
  pending: fundable,
  /** The right lock is there, and not buried yet. */
  seen: { ...fundable, deposit },
  deposited,
  claiming: { ...deposited, claimTxid: txid.nullable() },
  claimed: { ...deposited, ...left, claimTxid: txid },
  lost: { ...deposited, ...left },
  /**
   * Nothing is given for what was locked: it is the client's to take back. `fenced`: we signed the refund of what was
   * counted, and claim that never again.
   */
  stopped: { ...base, ...left, why: stoppedFor, reason: z.string(), fenced: z.boolean(), extras, ...counted },
  /** Never funded, and so late that whoever locks now can take it back alone at once: no longer watched. */
  lapsed: {},
  refunded: { ...base, ...left, extras, ...counted },
} as const;

type States = StatesOf<typeof sourceFields>;
export type Pending = States['pending'];
export type Seen = States['seen'];
export type Claiming = States['claiming'];
export type Stopped = States['stopped'];
export type Lapsed = States['lapsed'];
export type Refunded = States['refunded'];

/** The states of a claim on an EVM chain. */
export interface EvmClaim extends ClaimStates {
  readonly waiting: Pending | Seen;
  /** Blocks that bury the lock. */
  readonly sight: number;
  readonly sure: Deposited;
  readonly claiming: ValueOf<typeof sourceFields.claiming>;
  readonly claimed: ValueOf<typeof sourceFields.claimed>;
  readonly lost: ValueOf<typeof sourceFields.lost>;
  readonly stopped: Stopped;
  readonly left: Omit<Stopped, 'at' | 'why'>;
  readonly seed: Pick<Deposited, 'deposit'>;
  readonly lapsed: Lapsed;
  readonly refunded: Refunded;
}

export const baseOf = partOf(base);
/** The part of a state that stays the swap's from funding to claim. */
export const depositedOf = partOf(own);
/** What is left to do, and the lock that was counted. */
export const leftOf = partOf({ ...left, ...counted });

export function stopped(why: StoppedFor, reason: string, p: Base, extras: readonly ExtraLock[]): Stopped {
  return { at: 'stopped', why, reason, fenced: false, extras, ...baseOf(p), ...nothingAsked };
}

/** The swap had a lock, and nothing is given for it. */
export function givenBack(why: StoppedFor, reason: string, p: Omit<Deposited, 'gone'>): Stopped {
  return { ...stopped(why, reason, p, ownLocks(p)), counted: p.deposit };
}

/** The client's lock as one that is its own again, beside the others. */
function ownLocks({ deposit, extras }: Pick<Deposited, 'deposit' | 'extras'>): ExtraLock[] {
  return [{ ...deposit, taken: false }, ...extras];
}

/** What must hold of the client's lock, this deep, for anything to be given for it. */
export function agreedLock(t: EvmSourceTerms, depth: number) {
  return { network: t.network, depth, confirmations: t.confirmations, timelock: lockEnd(t) };
}

/** The same of the very lock, to be looked at once more. */
export function lockOf(t: EvmSourceTerms, { deposit: { lock, txid } }: Pick<Deposited, 'deposit'>) {
  const { network, contracts, confirmations, agreed, sourceAmount: value, policy } = t;
  return { network, htlc: contracts.htlc, lock, txid, confirmations, agreed, value, policy };
}

export function isKey(key: Uint8Array): (one: { readonly key: Uint8Array }) => boolean {
  return (one) => sameBytes(one.key, key);
}

/** The chain's clock, as far as it has come; 0 while it is unread. */
export function timeOf({ network }: EvmSourceTerms, now: Clocks): number {
  return evmTime(now, network) ?? 0;
}
