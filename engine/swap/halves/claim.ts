import type { z } from 'zod';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { RescueLeg } from '../../legs/rescue.ts';
import type { Effect, Event, Outcome, Watch } from '../machine.ts';
import type { StoppedFor } from './extra-coins.ts';
import type { Answer } from './answer.ts';
import type { Surety } from './surety.ts';

/** The states of a half that claims, as far as they are its own: what the other half adds to them it never sees. */
export interface ClaimStates {
  readonly waiting: { readonly at: string };
  /** How the lock shows that is right. */
  readonly sight: unknown;
  /** The client's lock is the swap's: what stays of it, whatever is given for it. */
  readonly sure: object;
  readonly claiming: object;
  readonly claimed: object;
  readonly lost: object;
  readonly stopped: { readonly at: 'stopped'; readonly why: StoppedFor; readonly reason: string };
  /** What is left of a stopped one beside why. */
  readonly left: object;
  /** By which it is found again, should what was given for it stand after all. */
  readonly seed: object;
  readonly lapsed: { readonly at: 'lapsed' };
  readonly refunded: { readonly at: 'refunded' };
}

/** The client's lock is right. `waits`: the state in which a verdict is waited for; null where nothing is new. */
export interface Sure<C extends ClaimStates> {
  readonly fact: 'sure';
  readonly sure: C['sure'];
  readonly sight: C['sight'];
  readonly waits: C['waiting'] | null;
}

/** What was given for the lock is paid for, or never will be. */
export type ClaimEnd<C extends ClaimStates> =
  { readonly fact: 'claimed'; readonly claimed: C['claimed'] } | { readonly fact: 'lost'; readonly lost: C['lost'] };

/**
 * The half of a swap in which the client locks: its lock is judged, claimed with the secret that our part brings, and given back where nothing
 * is given for it.
 */
export interface ClaimHalf<T, C extends ClaimStates> {
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
  waiting(t: T, p: C['waiting'], event: Event, now: Clocks): Answer<C['waiting'] | C['stopped'] | C['lapsed'], Sure<C>>;
  /** What stays of the lock from stage to stage. */
  kept(p: C['sure']): C['sure'];
  /** A look at it, or at a transaction of ours at it. */
  isLook(event: Event): boolean;
  /** While something is given for it: whatever becomes of it is answer, and changes nothing else. */
  backing(t: T, p: C['sure'], event: Event): Outcome<C['sure'] | C['stopped']>;
  givenBack(t: T, p: C['sure'], why: StoppedFor, reason: string): C['stopped'];
  /** Asks for whatever is to be undone when it is given back. */
  release(t: T): readonly Effect[];
  /** The secret is ours. */
  begin(p: C['sure']): C['claiming'];
  take(t: T, p: C['sure']): Effect;
  /** `isPaidBack`: what was given for it came back, so that no other lock is claimed for it. */
  claiming(
    t: T,
    p: C['claiming'],
    event: Event,
    now: Clocks,
    isPaidBack: boolean,
  ): Answer<C['claiming'], ClaimEnd<C>> | null;
  /** Claimed, or lost. */
  over(t: T, p: C['claimed'] | C['lost'], event: Event, now: Clocks): Outcome<C['claimed'] | C['lost']> | null;
  /** Our claim stands, though it can still be undone. */
  stands(p: C['claiming']): boolean;
  /** The client has it again, and nothing else of it is known. */
  back(p: C['claiming'] | C['claimed'] | C['lost']): C['refunded'];
  stopped(t: T, p: C['stopped'], event: Event, now: Clocks): Outcome<C['stopped'] | C['refunded'] | C['lapsed']>;
  lapsed(p: C['lapsed'], event: Event): Outcome<C['lapsed'] | C['stopped']>;
  refunded(t: T, p: C['refunded'], event: Event, now: Clocks): Outcome<C['refunded']>;
  /** The client asks for our signature on its refund. */
  isRefund(event: Event): boolean;
  /** Whether something was locked is not known before what was asked of its network is answered. */
  isUnsure(p: C['stopped']): boolean;
  /** The client surely has it. */
  isBack(p: C['stopped']): boolean;
  /** We signed it: nothing that was given back is claimed any more. */
  isFenced(p: C['stopped']): boolean;
  seed(p: C['sure']): C['seed'];
  /** The very lock that something may stand for. */
  resumed(p: C['stopped'] | C['refunded'], seed: C['seed']): C['sure'];
  /** Whatever pays for what was called off and came all the same; null where nothing is left to take, or we signed it away. */
  remaining(t: T, p: C['stopped'] | C['refunded']): C['sure'] | null;
  /** Until when it is surely ours. */
  surely(t: T, p: C['sure']): Surety;
  /** How it showed when it was counted, for who judges once more; null where its own looks are enough. */
  sight(t: T, p: C['sure']): C['sight'] | null;
  watches(t: T, p: object & { readonly at: string }): readonly Watch[];
  /** When time alone moves the half. */
  deadline(t: T, p: object & { readonly at: string }): Unix | null;
  open(p: object & { readonly at: string }): boolean;
  /** For the owner: what it waits for. */
  action(t: T, p: object & { readonly at: string }): string;
  /** As whoever needs it who has lost the node. */
  rescue(t: T, p: C['sure']): RescueLeg | null;
  /** The same of what `remaining` would take, by its script where that finds it. */
  rescueRemaining(t: T, p: C['stopped']): RescueLeg | null;
  /** The client's lock, in a sentence. */
  readonly name: string;
}
