import type { Hash160, Preimage, Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import type { Event, Step } from '../machine.ts';
import type { Taking } from '../vhtlc-taking.ts';

/**
 * The half of a swap that ends with a VHTLC which we lock and the client claims: what its terms and states have in common,
 * whatever the client gives for it.
 *
 * Loses money when wrong: a VHTLC locked twice, or for something that is not surely ours; a secret seen and not used; a
 * refund that is called final while the client can still claim.
 */
export interface TargetTerms {
  /** In the form that the other leg is locked with. */
  readonly hash: Sha256 | Hash160;
  /** What the VHTLC holds. */
  readonly targetAmount: Sats;
  readonly targetArkadeAddress: string;
  readonly vhtlc: VhtlcTerms;
  readonly script: Uint8Array;
  /** Of our key in it. */
  readonly keyIndex: number;
  /** Last moment of the chain's clock at which the VHTLC may be locked: after it the client could not claim in good time. */
  readonly lockBefore: Unix;
  /** Coins given to the VHTLC must not expire before this. */
  readonly minCoinExpiry: Unix;
}

export interface Lock {
  readonly lock: Outpoint;
}

/** The owner was told that what the client gave may go back while the VHTLC is out. */
export interface Alarmed {
  readonly alarmed?: true;
}

export type Standing<L extends Lock> = { readonly at: 'locked' } & L & Alarmed;

/**
 * `exit`: the coin left the operator, and `refundTxid` is a transaction on the chain. `halted`: the operator called it spent
 * when we came for it. `told`: the client's secret is saved, and whether its claim has the coin is not known yet.
 */
export type Refunding<L extends Lock> = {
  readonly at: 'refunding';
  readonly refundTxid: Txid | null;
  readonly exit?: true;
  readonly halted?: true;
  readonly told?: true;
} & L &
  Alarmed;

/**
 * `racing`: a refund of ours may be with the operator still, beside a claim that nobody has made a fact yet. `bothLegs`:
 * it won all the same, by `refundTxid`, and what it brought is owed to the client. `finishing`: the operator has accepted it,
 * and it is made final, for a transaction half done is nobody's. `asked`: a batch took the coin, and whose it was is asked.
 * `exit`, `halted`: of a refund that is made anew.
 */
export interface Raced extends Taking {
  readonly racing?: true;
  readonly bothLegs?: true;
  readonly refundTxid?: Txid;
  readonly finishing?: true;
  readonly asked?: true;
}

export function raceOf({ racing, bothLegs, refundTxid, finishing, asked: batchAsked }: Raced): Raced {
  return {
    ...(racing === undefined ? {} : { racing }),
    ...(bothLegs === undefined ? {} : { bothLegs }),
    ...(refundTxid === undefined ? {} : { refundTxid }),
    ...(finishing === undefined ? {} : { finishing }),
    ...(batchAsked === undefined ? {} : { asked: batchAsked }),
  };
}

/** The client's claim of exactly our lock, with a secret that fits. */
export interface Claim {
  readonly preimage: Preimage;
  /** The transaction that made the client's coin; null where a batch did. */
  readonly txid: Txid | null;
  /** `fact`: the operator took it, or it is buried; what waits in the operator's queue or on the chain may still lose against a refund of ours. */
  readonly is: 'fact' | 'on-chain' | 'queued';
}

/** What a direction makes of the fate of its VHTLC. */
export interface Fate<T extends TargetTerms, L extends Lock, P> {
  /** The part of a state that stays the swap's once the VHTLC is locked. */
  kept(p: L): L;
  /** The client claimed while no refund of ours had begun. */
  claimed(t: T, p: L, claim: Claim): Step<P>;
  /** The client claimed while a refund of ours was on its way; null: what the event says of that comes first. */
  beaten(t: T, p: Refunding<L>, claim: Claim, now: Clocks): Step<P> | null;
  /** The claim that we were told of is taken at its word: what the client gave would be lost otherwise. Null where the event is no reason to. */
  trusted(t: T, p: Refunding<L>, event: Event): Step<P> | null;
  /** Our refund is final, and a claim is impossible. */
  refunded(t: T, p: L, refundTxid: Txid): Step<P>;
  /** What the client gave is not surely ours any more, in a sentence for the owner; null until then. */
  late(t: T, p: L, now: Clocks): string | null;
  /** What stays with whoever has it until it is known who has the VHTLC, in a sentence. */
  readonly stays: string;
}
