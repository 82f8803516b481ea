import { z } from 'zod';
import type { Sats } from '../../../../domain/money.ts';
import type { Outpoint, Txid } from '../../../../domain/outpoint.ts';
import type { Unix } from '../../../../domain/time.ts';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import { vhtlcTerms } from '../../../../legs/arkade/shape.ts';
import { bytes, publicKey, sats, timeoutPolicy, unix, type ValueOf } from '../../../../legs/shape.ts';
import type { ClaimStates } from '../../claim.ts';
import type { Event } from '../../../machine.ts';
import { sameStrays, straysBeside, type StoppedFor, type Stray } from '../../extra-coins.ts';

/**
 * The half of a swap that begins with a VHTLC which the client funds and we claim: what its terms and states have in
 * common, whatever is given for it.
 */
export const sourceTerms = {
  /** What the VHTLC must hold. */
  sourceAmount: sats,
  feeSats: sats,
  networkFeeSats: sats,
  vhtlc: vhtlcTerms,
  script: bytes,
  /** Of the VHTLC. */
  address: z.string(),
  serverKey: publicKey,
  /** Of our key in it. */
  keyIndex: z.number(),
  /** The client's refund key as it was sent, for the record. */
  clientKeyText: z.string(),
  toleranceBps: z.number(),
  /** End of the funding window, by our wall clock. */
  fundBefore: unix,
  /** A coin that expires sooner than this could be taken back while it is still needed (facts/arkade.md 26). */
  minCoinExpiry: unix,
  /** The timeouts' relations as they were agreed. */
  policy: timeoutPolicy,
};
export type SourceTerms = ValueOf<typeof sourceTerms>;

/** What is left at the address is the client's to take alone, and has been for a day: it is not watched any more. */
export interface Unwatched {
  readonly unwatched?: true;
  /** The client asked for a refund: its coins are watched until then at least. */
  readonly askedUntil?: Unix;
}

export interface Funded {
  readonly coin: Outpoint;
  readonly surplus: Sats;
  readonly strays: readonly Stray[];
}

/** `fenced`: we signed a refund, so that nothing will ever be given for a coin. */
export interface Pending {
  readonly at: 'pending';
  readonly fenced: boolean;
}

/**
 * `exit`: the coin left the operator, and `claimTxid` is a transaction on the chain. `halted`: the operator called it
 * spent when we came for it.
 */
export interface Claiming extends Funded {
  readonly at: 'claiming';
  readonly claimTxid: Txid | null;
  readonly exit?: true;
  readonly halted?: true;
}

/** Nothing is given for what lies at the address: it is the client's to take back. */
export interface Stopped extends Unwatched {
  readonly at: 'stopped';
  readonly why: StoppedFor;
  readonly reason: string;
  readonly fenced: boolean;
  readonly strays: readonly Stray[];
}

/** Never funded, and so late that a client who funds it now can take the coin back alone at once: no longer watched. */
export interface Lapsed {
  readonly at: 'lapsed';
  readonly fenced: boolean;
}

export interface Refunded extends Unwatched {
  readonly at: 'refunded';
  readonly refundTxid: Txid | null;
  readonly strays: readonly Stray[];
}

/** The states of a claim on Arkade. */
export interface ArkadeClaim extends ClaimStates {
  readonly waiting: Pending;
  readonly sight: SeenCoin;
  readonly sure: Funded;
  readonly claiming: Omit<Claiming, 'at'>;
  readonly claimed: Funded & Unwatched & { readonly claimTxid: Claiming['claimTxid'] };
  readonly lost: Funded & Unwatched;
  readonly stopped: Stopped;
  readonly left: Omit<Stopped, 'at' | 'why'>;
  readonly seed: Pick<Funded, 'coin' | 'surplus'>;
  readonly lapsed: Lapsed;
  readonly refunded: Refunded;
}

/** The part of a state that stays the swap's from funding to claim. */
export function fundedOf(p: Funded): Funded {
  return { coin: p.coin, surplus: p.surplus, strays: p.strays };
}

/** The client's coin as one that is its own again, beside the others at the address. */
export function ownCoins(t: Pick<SourceTerms, 'sourceAmount'>, p: Funded): Stray[] {
  return [{ outpoint: p.coin, amount: (t.sourceAmount + p.surplus) as Sats, spent: false }, ...p.strays];
}

/** Later coins at the address of a swap that has its coin: noted, whatever else the event means. */
export function withStrays<S extends Funded>(p: S, event: Event): S {
  if (event.is !== 'vhtlc.seen') return p;
  const strays = straysBeside(event.coins, p.coin, p.strays);
  return sameStrays(strays, p.strays) ? p : { ...p, strays };
}

export function stopped(why: StoppedFor, reason: string, fenced: boolean, strays: readonly Stray[]): Stopped {
  return { at: 'stopped', why, reason, fenced, strays };
}
