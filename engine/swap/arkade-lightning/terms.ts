import type { PublicKey, Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { TimeoutPolicy } from '../../legs/timelocks.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import { move, type Event, type Step } from '../machine.ts';
import { sameStrays, straysBeside, type Stray } from '../source.ts';

/**
 * Arkade to Lightning. The client funds a VHTLC locked to the payment hash of an invoice; once the coin is good the
 * service pays the invoice, and the preimage that the payment reveals claims the VHTLC (facts/clients.md 2).
 *
 * Loses money when wrong: a payment started for a coin that is short, gone, or expires before it can be claimed; a
 * refund cosigned while the payment may still settle; a claim given up after the payment settled.
 */
export interface ArkadeLightningTerms {
  /** The invoice's payment hash. */
  readonly hash: Sha256;
  /** What the VHTLC must hold. */
  readonly sourceAmount: Sats;
  /** What the invoice pays. */
  readonly targetAmount: Sats;
  readonly feeSats: Sats;
  readonly networkFeeSats: Sats;
  readonly vhtlc: VhtlcTerms;
  readonly script: Uint8Array;
  readonly address: string;
  readonly keyIndex: number;
  readonly serverKey: PublicKey;
  /** The client's refund key as it was sent, for the record. */
  readonly clientKeyText: string;
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
  /** Most that routing may cost: fee and network fee of the swap, never on top of them. */
  readonly maxFeeMsat: bigint;
  /** Height given to the Lightning node as the end of every HTLC of the payment. */
  readonly maxTimeoutHeight: number;
  readonly toleranceBps: number;
  /** End of the funding window, by our wall clock. */
  readonly fundBefore: Unix;
  /** No payment is started after this moment of our wall clock; whether it is safe is judged by the chain's. */
  readonly payBefore: Unix;
  /** A coin that expires sooner than this could be taken back while we pay (facts/arkade.md 26). */
  readonly minCoinExpiry: Unix;
  readonly finalCltv: number;
  readonly policy: TimeoutPolicy;
}

/** What is left at the address is the client's to take alone, and has been for a day: it is not watched any more. */
interface Unwatched {
  readonly unwatched?: true;
  /** The client asked for a refund: its coins are watched until then at least. */
  readonly askedUntil?: Unix;
}

/**
 * `maybe`: a call that starts the payment got no answer and may still arrive, whatever became of the others. `in-flight`:
 * it did, after the swap was called off.
 */
export interface Late {
  readonly late?: 'maybe' | 'in-flight';
}

export interface Funded {
  readonly coin: Outpoint;
  readonly surplus: Sats;
  readonly strays: readonly Stray[];
}

export type StoppedFor = 'expired' | 'invalid' | 'late' | 'wont';

export type ArkadeLightningProgress =
  /** `fenced`: we signed a refund, so that no coin will ever be paid for. */
  | { readonly at: 'pending'; readonly fenced: boolean }
  | ({ readonly at: 'funded' } & Funded)
  | ({ readonly at: 'paying' } & Funded & Late)
  /** `exit`: the coin left the operator, and `claimTxid` is a transaction on the chain. `halted`: the operator called it spent when we came for it. */
  | ({
      readonly at: 'claiming';
      readonly claimTxid: Txid | null;
      readonly exit?: true;
      readonly halted?: true;
    } & Funded)
  | ({ readonly at: 'claimed'; readonly claimTxid: Txid | null } & Funded & Unwatched)
  /** The client left with the coin after the payment settled. */
  | ({ readonly at: 'lost' } & Funded & Unwatched)
  | ({
      readonly at: 'stopped';
      readonly why: StoppedFor;
      readonly reason: string;
      readonly fenced: boolean;
      readonly strays: readonly Stray[];
    } & Unwatched &
      Late)
  /** Never funded, and so late that a client who funds it now can take the coin back alone at once: no longer watched. */
  | { readonly at: 'lapsed'; readonly fenced: boolean }
  | ({ readonly at: 'refunded'; readonly refundTxid: Txid | null; readonly strays: readonly Stray[] } & Unwatched &
      Late);

/** The part of a state that stays the swap's from funding to claim. */
export function fundedOf(p: Funded): Funded {
  return { coin: p.coin, surplus: p.surplus, strays: p.strays };
}

/** Later coins at the address of a swap that has its coin: noted, whatever else the event means. */
export function withStrays<S extends ArkadeLightningProgress & Funded>(p: S, event: Event): S {
  if (event.is !== 'vhtlc.seen') return p;
  const strays = straysBeside(event.coins, p.coin, p.strays);
  return sameStrays(strays, p.strays) ? p : { ...p, strays };
}

export function lateOf({ late }: Late): Late {
  return late === undefined ? {} : { late };
}

/** No payment will be made: what lies at the address is the client's to take back. */
export function stop(
  why: StoppedFor,
  reason: string,
  fenced: boolean,
  strays: readonly Stray[],
  late: Late = {},
): Step<ArkadeLightningProgress> {
  return move<ArkadeLightningProgress>({ at: 'stopped', why, reason, fenced, strays, ...late });
}
