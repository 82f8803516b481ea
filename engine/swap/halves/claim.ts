import type { z } from 'zod';
import type { Clocks, Locktime } from '../../domain/time.ts';
import type { Leg } from '../../legs/leg.ts';
import type { RescueLeg } from '../../legs/rescue.ts';
import type { Effect, Event, Outcome, Resumption, Watch } from '../machine.ts';
import type { StoppedFor } from './extra-coins.ts';
import type { Answer } from './answer.ts';
import type { Surety } from './surety.ts';

/** The states of a half that claims, as far as they are its own: what the other half adds to them it never sees. */
export interface ClaimStates {
  readonly waiting: { readonly at: 'opening' | 'unopened' | 'unnamed' | 'pending' | 'seen' };
  /** How the client's lock was seen when it was accepted: amount, confirmations, expiry. */
  readonly sight: unknown;
  /** The accepted lock, as it is kept from then on. */
  readonly sure: object;
  readonly claiming: object;
  readonly claimed: object;
  readonly lost: object;
  readonly stopped: { readonly at: 'stopped'; readonly why: StoppedFor; readonly reason: string };
  /** A stopped state without `at` and `why`. */
  readonly left: object;
  /** Finds the client's lock again in `doubt`, so that it is claimed if our part stands after all. */
  readonly seed: object;
  readonly lapsed: { readonly at: 'lapsed' };
  readonly refunded: { readonly at: 'refunded' };
}

/**
 * The client's lock is accepted. `waits`: the state in which a refused judgement is tried again; null: the present one.
 */
export interface Sure<C extends ClaimStates> {
  readonly fact: 'sure';
  readonly sure: C['sure'];
  readonly sight: C['sight'];
  readonly waits: C['waiting'] | null;
}

/** The claim of the client's lock is final, or the client's refund is. */
export type ClaimEnd<C extends ClaimStates> =
  { readonly fact: 'claimed'; readonly claimed: C['claimed'] } | { readonly fact: 'lost'; readonly lost: C['lost'] };

/**
 * The half of a swap in which the client locks: its lock is judged, claimed with the secret that our part brings, and
 * given back where nothing is given for it.
 */
export interface ClaimHalf<T, C extends ClaimStates, Drops = true> {
  /** Its network. */
  readonly leg: Leg;
  /** Of each state, as it is kept. */
  readonly fields: {
    readonly waiting: Readonly<Record<C['waiting']['at'], z.ZodRawShape>>;
    readonly sure: z.ZodRawShape;
    readonly claiming: z.ZodRawShape;
    readonly claimed: z.ZodRawShape;
    readonly lost: z.ZodRawShape;
    readonly stopped: z.ZodRawShape & { readonly why: z.ZodType };
    readonly lapsed: z.ZodRawShape;
    readonly refunded: z.ZodRawShape;
    readonly seed: z.ZodRawShape;
  };
  waiting(
    t: T,
    p: C['waiting'],
    event: Event,
    now: Clocks,
  ): Answer<C['waiting'] | C['stopped'] | C['lapsed'], Sure<C>, Drops>;
  /** What stays of the lock from stage to stage. */
  kept(p: C['sure']): C['sure'];
  /** A look at it, or at a transaction of ours at it. */
  isLook(event: Event): boolean;
  /** While our part is out: what becomes of the client's lock is noted, and does not change the stage. */
  backing(t: T, p: C['sure'], event: Event): Outcome<C['sure'] | C['stopped'], Drops>;
  givenBack(t: T, p: C['sure'], why: StoppedFor, reason: string): C['stopped'];
  /** Ours is with the client, and no secret takes its own: that stays its own. */
  forgone(p: C['sure']): C['lost'];
  /** Cancels what was asked for on this network: a hold invoice. */
  release(t: T): readonly Effect[];
  /** The preimage is known: the first state of the claim. */
  begin(p: C['sure']): C['claiming'];
  take(t: T, p: C['sure']): Effect;
  /** `isPaidBack`: what was given for it came back, so that no other lock is claimed for it. */
  claiming(
    t: T,
    p: C['claiming'],
    event: Event,
    now: Clocks,
    isPaidBack: boolean,
  ): Answer<C['claiming'], ClaimEnd<C>, Drops> | null;
  /** The claim as its state alone owes it. */
  resume(t: T, p: C['claiming']): Resumption<C['claiming']>;
  /** Claimed, or lost. */
  over(t: T, p: C['claimed'] | C['lost'], event: Event, now: Clocks): Outcome<C['claimed'] | C['lost'], Drops> | null;
  /** Our claim is mined, and not buried yet. */
  stands(p: C['claiming']): boolean;
  /** The refunded state, where the client's refund follows from what else was seen. */
  back(p: C['claiming'] | C['claimed'] | C['lost']): C['refunded'];
  /**
   * What lies there, or will, is judged anew, by terms that its client agreed to since; null where its refund may be
   * signed, or nothing waits for other terms. Left out where terms are never amended.
   */
  amended?(t: T, p: C['stopped'] | C['waiting'], now: Clocks): C['waiting'] | null;
  stopped(t: T, p: C['stopped'], event: Event, now: Clocks): Outcome<C['stopped'] | C['refunded'] | C['lapsed'], Drops>;
  lapsed(t: T, p: C['lapsed'], event: Event): Outcome<C['lapsed'] | C['stopped'], Drops>;
  refunded(t: T, p: C['refunded'], event: Event, now: Clocks): Outcome<C['refunded'], Drops>;
  /** The client asks for our signature on its refund. */
  isRefund(event: Event): boolean;
  /** An invoice that is over and not yet known to be cancelled: the swap counts as pending. */
  isUnsure(p: C['stopped']): boolean;
  /** The client's refund is final. */
  isBack(p: C['stopped']): boolean;
  /** We signed the client's refund: its lock is never claimed any more. */
  isFenced(p: C['stopped']): boolean;
  seed(p: C['sure']): C['seed'];
  /** The lock that `seed` finds, as an accepted one again. */
  resumed(p: C['stopped'] | C['refunded'], seed: C['seed']): C['sure'];
  /**
   * Any lock of the client's that can be claimed when a payment that was called off settles; null: none, or its refund
   * is signed.
   */
  remaining(t: T, p: C['stopped'] | C['refunded']): C['sure'] | null;
  /** The timelocks of the client's lock, for the other half. */
  surely(t: T, p: C['sure']): Surety;
  /**
   * How the lock was seen when it was accepted, for a second judgement before our part is sent; null: `onlyIf` covers
   * that.
   */
  sight(t: T, p: C['sure']): C['sight'] | null;
  watches(t: T, p: object & { readonly at: string }): readonly Watch[];
  /** When time alone moves the half, or the coming of blocks. */
  deadline(t: T, p: object & { readonly at: string }): Locktime | null;
  open(p: object & { readonly at: string }): boolean;
  /** For the owner: what it waits for. */
  action(t: T, p: object & { readonly at: string }): string;
  /** The leg that is claimed, for the rescue bundle. */
  rescue(t: T, p: C['sure']): RescueLeg | null;
  /** The same of what `remaining` would take, by its script where that finds it. */
  rescueRemaining(t: T, p: C['stopped']): RescueLeg | null;
  /** The client's lock, in a sentence. */
  readonly name: string;
}
