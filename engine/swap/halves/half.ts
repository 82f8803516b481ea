import type { z } from 'zod';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { RescueLeg } from '../../legs/rescue.ts';
import type { Effect, Event, LedgerLine, Outcome, Step, Watch } from '../machine.ts';
import type { StoppedFor } from '../source.ts';

/*
 * A swap claims on one network and funds on another. A half knows its own network alone: it tells facts, takes orders, and never sees what the
 * other half is in. The stage of the swap (`at`) says which states of both are legal together. A state comes with whatever the other half keeps
 * beside it, and a step within a stage leaves that as it is.
 */

/** What a step asks for and saves, besides the state that it leads to. */
export type Along = Partial<Omit<Step<unknown>, 'progress'>>;

interface Fact {
  readonly fact: string;
}

/** A fact with what comes along. */
export type Tells<F extends Fact> = F & { readonly along?: Along };

/** What an event comes to in a half: a step within its stage, or a fact. */
export type Told<S, F extends Fact> = 'stay' | Step<S> | Tells<F>;

export function isFact<X extends 'stay' | object>(told: X): told is Extract<X, Fact> {
  return typeof told === 'object' && 'fact' in told;
}

/** The step that a fact leads to. Effects of the half that told it come behind `first`. */
export function stepTo<P>(progress: P, { effects = [], ...along }: Along = {}, ...first: readonly Effect[]): Step<P> {
  return { progress, effects: [...first, ...effects], ...along };
}

/** The states of a half that claims, as far as they are its own: what the other half adds to them it never sees. */
export interface ClaimStates {
  readonly waiting: { readonly at: 'pending' | 'seen' };
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
    readonly pending: z.ZodRawShape;
    readonly seen?: z.ZodRawShape;
    readonly sure: z.ZodRawShape;
    readonly claiming: z.ZodRawShape;
    readonly claimed: z.ZodRawShape;
    readonly lost: z.ZodRawShape;
    readonly stopped: z.ZodRawShape & { readonly why: z.ZodType };
    readonly lapsed: z.ZodRawShape;
    readonly refunded: z.ZodRawShape;
    readonly seed: z.ZodRawShape;
  };
  waiting(t: T, p: C['waiting'], event: Event, now: Clocks): Told<C['waiting'] | C['stopped'], Sure<C>>;
  /** What stays of the lock from stage to stage. */
  kept(p: C['sure']): C['sure'];
  /** While something is given for it: whatever becomes of it is told, and changes nothing else. */
  backing(t: T, p: C['sure'], event: Event): Outcome<C['sure']>;
  givenBack(t: T, p: C['sure'], why: StoppedFor, reason: string): C['stopped'];
  /** The secret is ours. */
  begin(p: C['sure']): C['claiming'];
  take(t: T, p: C['sure']): Effect;
  claiming(t: T, p: C['claiming'], event: Event, now: Clocks): Told<C['claiming'], ClaimEnd<C>>;
  /** Claimed, or lost. */
  over(t: T, p: C['claimed'] | C['lost'], event: Event, now: Clocks): Outcome<C['claimed'] | C['lost']>;
  stopped(t: T, p: C['stopped'], event: Event, now: Clocks): Outcome<C['stopped'] | C['refunded'] | C['lapsed']>;
  lapsed(p: C['lapsed'], event: Event): Outcome<C['lapsed'] | C['stopped']>;
  refunded(t: T, p: C['refunded'], event: Event, now: Clocks): Outcome<C['refunded']>;
  /** The client asks for our signature on its refund. */
  isRefund(event: Event): boolean;
  /** We signed it: nothing that was given back is claimed any more. */
  isFenced(p: C['stopped']): boolean;
  seed(p: C['sure']): C['seed'];
  /** The very lock that something may stand for. */
  resumed(p: C['stopped'] | C['refunded'], seed: C['seed']): C['sure'];
  /** Whatever pays for what was called off and came all the same; null where nothing is left to take, or we signed it away. */
  remaining(t: T, p: C['stopped'] | C['refunded']): C['sure'] | null;
  /** Until when it is surely ours. */
  surely(t: T, p: C['sure']): Backing;
  watches(t: T, p: object & { readonly at: string }): readonly Watch[];
  /** When time alone moves the half. */
  deadline(t: T, p: object & { readonly at: string }): Unix | null;
  open(p: object & { readonly at: string }): boolean;
  /** For the owner: what it waits for. */
  action(t: T, p: object & { readonly at: string }): string;
  /** As whoever needs it who has lost the node. */
  rescue(t: T, p: C['sure']): RescueLeg;
  /** The same of what `remaining` would take, by its script where that finds it. */
  rescueRemaining(t: T, p: C['stopped']): RescueLeg | null;
  /** The client's lock, in a sentence. */
  readonly name: string;
}

/** Of the half that claims: until when what the client gave is surely ours. */
export interface Backing {
  /** By then, of the clock that judges our part, it is to be ours again. */
  readonly back: Unix;
  /** So little time is left to take what the client gave that its claim of ours is believed as it is. */
  cannotWait(now: Clocks): boolean;
}

/** The states of a half that funds, as far as they are its own. */
export interface FundStates {
  /** From the order to fund until the client has it, or we have it back. */
  readonly standing: { readonly at: string };
  /** The client claimed it. */
  readonly revealed: object;
  /** It came back. */
  readonly returned: object;
  /** It was called off, and may stand all the same. */
  readonly doubt: object;
}

/** What becomes of our part. */
export type FundFact<F extends FundStates> =
  /** It goes on to a stage of its own. */
  | { readonly fact: 'next'; readonly next: F['standing'] }
  /** It never was, and is asked for anew. */
  | { readonly fact: 'again' }
  /** Nothing of ours will be with the client, but for what is in doubt. */
  | { readonly fact: 'declined'; readonly why: StoppedFor; readonly reason: string; readonly doubt: F['doubt'] | null }
  /** The client claimed it, and its secret is ours. */
  | { readonly fact: 'revealed'; readonly revealed: F['revealed'] }
  | { readonly fact: 'returned'; readonly reason: string; readonly returned: F['returned'] };

/** What becomes of what is in doubt. */
export type DoubtFact<F extends FundStates> = FundFact<F> | { readonly fact: 'settled' };

/** The half of a swap in which we lock, or pay. Null for what is no news of it. */
export interface FundHalf<T, F extends FundStates> {
  /** Of each state, as it is kept. */
  readonly fields: {
    readonly standing: Readonly<Record<F['standing']['at'], z.ZodRawShape>>;
    readonly revealed: z.ZodRawShape;
    readonly returned: z.ZodRawShape;
    readonly doubt: z.ZodRawShape;
  };
  standing(
    t: T,
    p: F['standing'],
    event: Event,
    now: Clocks,
    backing: Backing,
  ): Told<F['standing'], FundFact<F>> | null;
  /** What the client gave is claimed, or was, or is lost. */
  revealed(
    t: T,
    p: F['revealed'] & { readonly at: 'claiming' | 'claimed' | 'lost' },
    event: Event,
    now: Clocks,
  ): Outcome<F['revealed']> | null;
  /** What stays of it from stage to stage. */
  kept(p: F['revealed']): F['revealed'];
  /** What the client gave is ours. */
  onceClaimed(p: F['revealed']): F['revealed'];
  /** The client took back what it gave. */
  lost(t: T): { readonly although: string; readonly loss: LedgerLine };
  /** What was called off is looked after until it is known. */
  doubted(t: T, p: F['doubt'] | null, event: Event, now: Clocks): Told<F['doubt'], DoubtFact<F>> | null;
  /** The client may have it any moment: no refund is signed that was not signed before. */
  forbidsRefund(p: F['doubt']): boolean;
  /** A payment may still come when the client has its own again, and whatever is left pays for it; a lock stands for one lock alone. */
  readonly isPayment: boolean;
  /** What is told of it once it came back. */
  came(p: F['returned']): F['returned'];
  watches(t: T, p: object & { readonly at: string }): readonly Watch[];
  deadline(t: T, p: F['standing']): Unix | null;
  /** Something of it is still to be seen, once all else is over. */
  open(p: F['revealed']): boolean;
  reserves(p: F['standing']): boolean;
  /** For the owner: what it waits for. */
  action(p: F['standing']): string;
  afterwards(p: F['revealed']): string | null;
  rescue(t: T, p: F['standing'] | F['revealed'] | F['doubt']): RescueLeg | null;
}
