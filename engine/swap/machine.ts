import type { LedgerKind } from '../domain/accounts.ts';
import type { Hash160, Preimage } from '../domain/hash.ts';
import type { Money } from '../domain/money.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { TakerListing } from '../domain/taker.ts';
import type { Clocks, Locktime } from '../domain/time.ts';
import type { ArkadeEffect } from '../legs/arkade/effects.ts';
import type { ArkadeEvent } from '../legs/arkade/events.ts';
import type { ArkadeWatch } from '../legs/arkade/watch.ts';
import type { EvmContractEffect, EvmEffect, EvmForwardEffect, EvmReading } from '../legs/evm/effects.ts';
import type { EvmEvent } from '../legs/evm/events.ts';
import type { EvmWatch } from '../legs/evm/watch.ts';
import type { Queue } from '../legs/leg.ts';
import type { LightningEffect } from '../legs/lightning/effects.ts';
import type { LightningEvent } from '../legs/lightning/events.ts';
import type { LightningWatch } from '../legs/lightning/watch.ts';
import type { OnchainEffect } from '../legs/onchain/effects.ts';
import type { OnchainEvent } from '../legs/onchain/events.ts';
import type { OnchainWatch } from '../legs/onchain/watch.ts';
import type { ProviderEffect } from '../legs/provider/effects.ts';
import type { ProviderEvent } from '../legs/provider/events.ts';
import type { ProviderWatch } from '../legs/provider/watch.ts';
import type { RescueSwap } from '../legs/rescue.ts';
import type { Shape } from '../legs/shape.ts';

/** What a machine asks of the world. Self-contained: whoever executes it needs no other knowledge of the swap. */
export type Effect =
  | LightningEffect
  | ArkadeEffect
  | OnchainEffect
  | EvmEffect
  | EvmForwardEffect
  | EvmReading
  | EvmContractEffect
  | ProviderEffect;

/** What happened to the swap itself, on no network. */
type SwapEvent =
  | { readonly is: 'clock' }
  /** The request that opened the swap was answered with a failure: nobody knows the swap, it must leave no trace. */
  | { readonly is: 'abandoned'; readonly reason: string }
  /** The owner wants what was funded back. */
  | { readonly is: 'refund.requested' }
  /**
   * The owner says that nothing was paid and nothing shall be: nobody is asked to pay any more, and everything is
   * watched as before.
   */
  | { readonly is: 'cancel.requested' }
  /** This database is a copy, from before what the swap may have done since (facts/faults.md 230). */
  | { readonly is: 'copied' }
  /** Another swap of our own hangs on the same secret. */
  | { readonly is: 'secret.shared' }
  /**
   * The terms that come with it are new: amount or invoice of what a client locked. A state in which something is
   * given, or may be, stays, and then the terms do too.
   */
  | { readonly is: 'terms.amended' };

/**
 * What happened. An event that a state does not expect changes nothing: chains repeat themselves, and so do restarts.
 */
export type Event = SwapEvent | LightningEvent | ArkadeEvent | OnchainEvent | EvmEvent | ProviderEvent;

export type EventOf<K extends Event['is']> = Extract<Event, { is: K }>;

/** What the runtime must look at while the swap is in this state. */
export type Watch = (LightningWatch | ArkadeWatch | OnchainWatch | EvmWatch | ProviderWatch) & {
  /** Looked for only where a copy of the database may have forgotten that it was given. */
  readonly ifNoted?: true;
};

/** A line of the ledger: what the node earned or paid, positive in its favour. */
export interface LedgerLine extends Money {
  readonly kind: LedgerKind;
}

/** `Drops`: whose effects a step drops. A half drops those of its own leg alone, and says `true`. */
export interface Step<P, Drops = true> {
  readonly progress: P;
  readonly effects: readonly Effect[];
  /**
   * What earlier steps asked for is not wanted any more: a decline does not wait behind a lock that is tried again and
   * again.
   */
  readonly supersedes?: Drops;
  /** What earlier steps asked for is not done any more; transactions that it prepared stay as they are. */
  readonly interrupts?: Drops;
  /** A preimage seen for the first time; saved, sealed, in the same commit, and never part of `progress`. */
  readonly learned?: Preimage;
  readonly ledger?: readonly LedgerLine[];
  /** Why a person must look at this swap. */
  readonly flag?: string;
  /** The flag is about the operator itself: nothing new is begun with it until the owner says so. */
  readonly distrust?: true;
}

export type Outcome<P, Drops = true> = Step<P, Drops> | 'stay';

/** The same of a whole swap, which names the legs. */
export type SwapStep<P> = Step<P, readonly Queue[]>;
export type SwapOutcome<P> = Outcome<P, readonly Queue[]>;

/** What a state owes by itself, told nothing of what it has asked for. */
export interface Resumption<P> {
  /** Without what only its own transactions of before could bring about. */
  readonly progress: P;
  readonly effects: readonly Effect[];
}

/** A swap that ended without ever being funded: its story is dropped once nobody can need it (facts/faults.md 53). */
interface Unfunded<T, P extends { readonly at: string }> {
  /** States that such a swap ends in. */
  readonly ends: readonly P['at'][];
  /** From when on its client can help itself, whoever funds it all the same. */
  locktime(terms: T): Locktime;
  /** Where on Arkade money may still come that needs us to go back; null where whoever comes late helps itself. */
  script(terms: T): Uint8Array | null;
}

/**
 * What is noted before it is done, since nobody could tell afterwards whose doing it was (facts/faults.md 46, 47): a
 * hold invoice asked for, a payment begun, a refund of the client's signed, a batch of the client's run with the secret
 * that it gave (facts/faults.md 229).
 */
export type NotedAct = 'invoice' | 'payment' | 'refund' | 'relay';

/** A decision procedure over one swap: pure, total, and the only place where its state changes. */
export interface Machine<T, P extends { readonly at: string }> {
  readonly name: string;
  /** How they are kept: a row that is not of this form belongs to a damaged database, or to a newer build. */
  readonly shape: { readonly terms: Shape<T>; readonly progress: Shape<P> };
  /** What it may have done without this database's knowing, when an older copy is restored. */
  readonly notes?: readonly NotedAct[];
  /** Whether a refund of these terms is ever signed by us; left out where each is, or none. */
  signsRefund?(terms: T): boolean;
  step(terms: T, progress: P, event: Event, now: Clocks): SwapOutcome<P>;
  watches(terms: T, progress: P): readonly Watch[];
  /** The next moment, or height of the chain, at which a `clock` event can change something; null when none can. */
  deadline(terms: T, progress: P): Locktime | null;
  status(progress: P): SwapStatus;
  /** False once nothing of the swap needs watching: it leaves the working set and costs nothing any more. */
  open(terms: T, progress: P): boolean;
  /** The liquidity promised at creation is still owed; once false it is released, having been used or not needed. */
  reserves(progress: P): boolean;
  /** Something may be given for what a client locked, and not be back; left out where nothing is given for a lock. */
  isAtStake?(progress: P): boolean;
  /** True for a swap that nobody was ever told of: its hash may be used again. */
  untold(progress: P): boolean;
  /** The payment hash, in the form that all directions share. */
  hash160(terms: T): Hash160;
  /** Left out where a swap is never opened by a stranger. */
  readonly unfunded?: Unfunded<T, P>;
  /**
   * What is out of it, for whoever has lost the node; null while nothing is. Left out by what the seed alone finds
   * again.
   */
  rescue?(terms: T, progress: P): RescueSwap | null;
  /**
   * What is owed in a state whose outbox is gone: whatever it waits for is asked for again, what was on its way is made
   * anew. Wrong, and a lock that is claimed, refunded or given back never is. Left out by jobs of a wallet.
   * `isShown`: a secret of our own may have left us, whatever the state knows.
   */
  resume?(terms: T, progress: P, now: Clocks, isShown?: boolean): Resumption<P>;
  /** What the list of the owner's own swaps finds it by; left out by what is none. */
  listing?(terms: T, progress: P, now: Clocks): TakerListing;
  /** Who is waited for, in words for the owner. */
  nextAction(terms: T, progress: P): string;
}

export function move<P>(progress: P, ...effects: Effect[]): Step<P, never> {
  return { progress, effects };
}
