import { z } from 'zod';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { htlcTerms } from '../../../../legs/onchain/shape.ts';
import {
  bytes,
  listOf,
  outpoint,
  partOf,
  sats,
  txid,
  unix,
  type StatesOf,
  type ValueOf,
} from '../../../../legs/shape.ts';
import type { ClaimStates } from '../../claim.ts';
import { amendableOnce, claimTerms } from '../../claim-terms.ts';
import { coinTaking } from '../taking-shape.ts';
import { stoppedFor, extraCoin, type ExtraCoin, type StoppedFor } from '../../extra-coins.ts';

/**
 * The half of a swap that begins with an HTLC on the Bitcoin chain which the client funds and we claim: what its terms
 * and states have in common, whatever is given for it. The client refunds alone, after its locktime: there is nothing
 * that we could sign.
 *
 * Loses money when wrong: something given for a coin that is not deep enough, holds too little, or is the client's
 * again before we can take it; a secret learned, and the coin not taken before that.
 */
export const sourceTerms = {
  ...claimTerms,
  ...amendableOnce,
  /** Claimed by our key, refunded by the client's. */
  htlc: htlcTerms,
  /** Output script of the HTLC. */
  htlcScript: bytes,
  htlcAddress: z.string(),
  /** Of our key in it. */
  keyIndex: z.number(),
  toleranceBps: z.number(),
  /** Of the coin before anything is given for it, its first block counted. */
  confirmations: z.number(),
  /** Height of the Bitcoin chain when the swap was made: no coin of it is older. */
  htlcSince: z.number(),
  /** Nothing is given for a coin after this moment of median time past; it must be in a block by `mineBefore`. */
  giveBefore: unix,
  /** Its client signs our claim with us, by the key of both, where it is there to do so (`joint-claims.ts`). */
  asksClient: z.literal(true).exactOptional(),
};
export type OnchainSourceTerms = ValueOf<typeof sourceTerms>;

const yes = z.literal(true).exactOptional();
const extras = listOf(extraCoin);
/** A coin of the right amount, with what it holds over it. */
const own = { coin: outpoint, surplus: sats };
/** What takes a coin by the key of both although we never signed for it: the owner was told. */
const byKey = { byKey: txid.exactOptional() };
/** `vanished`: a coin was seen and is gone from the mempool, or with its block, and may come again. */
const fundable = { extras, vanished: z.boolean(), ...byKey };
/** The swap's own coin, and what else came. `gone`: the owner was told that the chain does not show it any more. */
const funded = { ...own, extras, gone: yes, ...byKey };
/** What is left at the address is the client's to take alone, and has been for a day: it is not watched any more. */
const unwatched = { unwatched: yes };
const { spends } = coinTaking;
const ended = { ...own, extras, spends, mined: txid.nullable(), ...unwatched };

/** Stored fields of each state. */
export const sourceFields = {
  pending: fundable,
  /** What is given for it is not named yet: a coin that comes is noted, and nothing else. */
  unnamed: { extras, ...byKey },
  /**
   * The right coin is there, and in no block yet or not deep enough. `inBlock`: one holds it, for who waits for that;
   * nothing is decided by it.
   */
  seen: { ...fundable, ...own, inBlock: yes },
  sure: funded,
  seed: own,
  /** `mined`: the claim of ours that was in a block. */
  claiming: { ...funded, ...coinTaking, mined: txid.nullable() },
  claimed: ended,
  lost: ended,
  /**
   * Nothing is given for what lies at the address: it is the client's to take back. `fenced`: a partial signature of
   * ours for that was given, so that nothing ever will be.
   */
  stopped: { why: stoppedFor, reason: z.string(), extras, ...unwatched, fenced: yes, ...byKey },
  /** Never funded, and so late that whoever funds it now can take the coin back alone at once: no longer watched. */
  lapsed: {},
  /** `clientTxid`: the client's refund. */
  refunded: { clientTxid: txid.nullable(), extras, ...unwatched, ...byKey },
} as const;

type States = StatesOf<typeof sourceFields>;
export type Coin = ValueOf<typeof own>;
export type Funded = ValueOf<typeof funded>;
export type Pending = States['pending'];
export type Unnamed = States['unnamed'];
export type Seen = States['seen'];
type Ended = ValueOf<typeof ended>;
export type Claiming = ValueOf<typeof sourceFields.claiming>;
export type Stopped = States['stopped'];
export type Lapsed = States['lapsed'];
export type Refunded = States['refunded'];

/** The states of a claim on the Bitcoin chain. */
export interface OnchainClaim extends ClaimStates {
  readonly waiting: Pending | Seen | Unnamed;
  /** Blocks that bury the coin. */
  readonly sight: number;
  readonly sure: Funded;
  readonly claiming: Claiming;
  readonly claimed: Ended;
  readonly lost: Ended;
  readonly stopped: Stopped;
  readonly left: Omit<Stopped, 'at' | 'why'>;
  readonly seed: Coin;
  readonly lapsed: Lapsed;
  readonly refunded: Refunded;
}

/** The part of a state that stays the swap's from funding to claim. */
export const fundedOf = partOf(funded);
export const endedOf = partOf(ended);

/** What must hold of the client's coin, this deep, for anything to be given for it. */
export function agreedCoin({ sourceAmount, confirmations, htlc }: OnchainSourceTerms, depth: number) {
  const coin = { amount: sourceAmount, depth };
  return { coin, sourceAmount, confirmations, refundLocktime: locktimeOf(htlc) };
}

/** The same of the very coin, to be looked at once more. */
export function coinOf(t: OnchainSourceTerms, { coin: outpoint }: Funded) {
  const { htlcScript: script, sourceAmount, confirmations, htlc, policy } = t;
  return { script, outpoint, policy, sourceAmount, confirmations, refundLocktime: locktimeOf(htlc) };
}

export function stopped(why: StoppedFor, reason: string, extras: readonly ExtraCoin[]): Stopped {
  return { at: 'stopped', why, reason, extras };
}
