import { z } from 'zod';
import type { Sats } from '../../../../domain/money.ts';
import type { Outpoint, Txid } from '../../../../domain/outpoint.ts';
import { htlcTerms } from '../../../../legs/onchain/shape.ts';
import { bytes, sats, timeoutPolicy, unix, type ValueOf } from '../../../../legs/shape.ts';
import type { ClaimStates } from '../../claim.ts';
import type { CoinTaking } from '../taking.ts';
import type { Stray, StoppedFor } from '../../extra-coins.ts';

/**
 * The half of a swap that begins with an HTLC on the Bitcoin chain which the client funds and we claim: what its terms
 * and states have in common, whatever is given for it. The client refunds alone, after its locktime: there is nothing
 * that we could sign.
 *
 * Loses money when wrong: something given for a coin that is not deep enough, holds too little, or is the client's
 * again before we can take it; a secret learned, and the coin not taken before that.
 */
export const sourceTerms = {
  /** What the HTLC must hold. */
  sourceAmount: sats,
  feeSats: sats,
  networkFeeSats: sats,
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
  /** Height of the chain when the swap was made: no coin of it is older. */
  since: z.number(),
  /** End of the funding window, by our wall clock. */
  fundBefore: unix,
  /** Nothing is given for a coin after this moment of median time past; it must be in a block by `mineBefore`. */
  lockBefore: unix,
  /** The timeouts' relations as they were agreed. */
  policy: timeoutPolicy,
};
export type OnchainSourceTerms = ValueOf<typeof sourceTerms>;

/** `vanished`: a coin was seen and is gone from the mempool, or with its block, and may come again. */
interface Fundable {
  readonly strays: readonly Stray[];
  readonly vanished: boolean;
}

export interface Pending extends Fundable {
  readonly at: 'pending';
}

/** A coin of the right amount, with what it holds over it. */
export interface Coin {
  readonly coin: Outpoint;
  readonly surplus: Sats;
}

/** The right coin is there, and in no block yet or not deep enough. */
export interface Seen extends Fundable, Coin {
  readonly at: 'seen';
}

/** The swap's own coin, and what else came. */
export interface Funded extends Coin {
  readonly strays: readonly Stray[];
  /** A person was told that the chain does not show the coin any more. */
  readonly gone?: true;
}

/** We claim. `mined`: the claim of ours that was in a block. */
export interface Claiming extends Funded, CoinTaking {
  readonly mined: Txid | null;
}

/** What is left at the address is the client's to take alone, and has been for a day: it is not watched any more. */
export interface Unwatched {
  readonly unwatched?: true;
}

/** Nothing is given for what lies at the address: it is the client's to take back, alone. */
export interface Stopped extends Unwatched {
  readonly at: 'stopped';
  readonly why: StoppedFor;
  readonly reason: string;
  readonly strays: readonly Stray[];
}

/** Never funded, and so late that a client who funds it now can take the coin back alone at once: no longer watched. */
export interface Lapsed {
  readonly at: 'lapsed';
}

export interface Refunded extends Unwatched {
  readonly at: 'refunded';
  /** The client's refund. */
  readonly clientTxid: Txid | null;
  readonly strays: readonly Stray[];
}

/** The states of a claim on the Bitcoin chain. */
export interface OnchainClaim extends ClaimStates {
  readonly waiting: Pending | Seen;
  /** Blocks that bury the coin. */
  readonly sight: number;
  readonly sure: Funded;
  readonly claiming: Claiming;
  readonly claimed: Omit<Claiming, 'gone' | 'halted' | 'parent'> & Unwatched;
  readonly lost: Omit<Claiming, 'gone' | 'halted' | 'parent'> & Unwatched;
  readonly stopped: Stopped;
  readonly left: Omit<Stopped, 'at' | 'why'>;
  readonly seed: Coin;
  readonly lapsed: Lapsed;
  readonly refunded: Refunded;
}

/** The part of a state that stays the swap's from funding to claim. */
export function fundedOf(p: Funded): Funded {
  const { coin, surplus, strays } = p;
  return { coin, surplus, strays, ...(p.gone === undefined ? {} : { gone: p.gone }) };
}

/** The client's coin as one that is its own again, beside the others at the address. */
export function ownCoins(t: Pick<OnchainSourceTerms, 'sourceAmount'>, p: Coin & Pick<Funded, 'strays'>): Stray[] {
  return [{ outpoint: p.coin, amount: (t.sourceAmount + p.surplus) as Sats, spent: false }, ...p.strays];
}

export function stopped(why: StoppedFor, reason: string, strays: readonly Stray[]): Stopped {
  return { at: 'stopped', why, reason, strays };
}
