import type { z } from 'zod';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { RescueLeg } from '../../legs/rescue.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
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
export type News<F extends Fact> = F & { readonly along?: Along };

/** What an event comes to in a half: a step within its stage, or a fact. */
export type Answer<S, F extends Fact> = 'stay' | Step<S> | News<F>;

export function isFact<X extends 'stay' | object>(answer: X): answer is Extract<X, Fact> {
  return typeof answer === 'object' && 'fact' in answer;
}

/** The step that a fact leads to. Effects of the half that told it come behind `first`. */
export function stepTo<P>(progress: P, { effects = [], ...along }: Along = {}, ...first: readonly Effect[]): Step<P> {
  return { progress, effects: [...first, ...effects], ...along };
}

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

/** Of the half that claims: until when what the client gave is surely ours. */
export interface Surety {
  /** By then, of the clock that judges our part, it is to be ours again. */
  readonly back: Unix;
  /** From then on the client takes it back alone. */
  readonly alone: Unix;
  /** From here on of its own clock, should that trail no further, half of the margin is left to take what the client gave. */
  readonly last: Unix;
  /** So little time is left to take what the client gave that its claim of ours is believed as it is. */
  cannotWait(now: Clocks): boolean;
  /** What the client gave is not surely ours any more, in a sentence for the owner; null until then. */
  late(now: Clocks): string | null;
  /** A claim of ours that may still lose against our refund opens nothing before `late`. */
  readonly isPatient: boolean;
  /** In sentences: what stays as it is until it is known who has ours; that we have it; that the client has it again. */
  readonly words: { readonly stays: string; readonly taken: string; readonly back: string };
}

/** What our part is given for. */
export interface Backing extends Surety {
  /** The last look before it is given. */
  judge(now: Clocks): Safety;
  /** What must still hold when it is given. */
  readonly onlyIf: OnlyIf;
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

/** The client's claim took nothing, and it has its own again. */
export interface NeitherFact<F extends FundStates> {
  readonly fact: 'neither';
  readonly returned: F['returned'];
}

export interface LostFact<F extends FundStates> {
  readonly fact: 'lost';
  readonly revealed: F['revealed'];
}

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
  ): Answer<F['standing'], FundFact<F>> | null;
  /** What the client gave is claimed, or was, or is lost. */
  revealed(
    t: T,
    p: F['revealed'] & { readonly at: 'claiming' | 'claimed' | 'lost' },
    event: Event,
    now: Clocks,
    surety: Surety,
  ): Answer<F['revealed'], NeitherFact<F>> | null;
  /** What stays of it from stage to stage. */
  kept(p: F['revealed']): F['revealed'];
  /** What the client gave is ours. */
  onceClaimed(p: F['revealed']): F['revealed'];
  /** The client took back what it gave. */
  lost(t: T, p: F['revealed'], took: string, surety: Surety): News<LostFact<F> | NeitherFact<F>>;
  /** What it is worth, in the ledger. */
  loss(t: T): LedgerLine;
  /** Asks for it. */
  begin(t: T, onlyIf: OnlyIf): Effect;
  /** What it asked for goes on when what the client gave is ours. */
  isBusy(p: F['revealed']): boolean;
  /** What was called off is looked after until it is known. */
  doubted(t: T, p: F['doubt'] | null, event: Event, now: Clocks): Answer<F['doubt'], DoubtFact<F>> | null;
  /** The client may have it any moment: no refund is signed that was not signed before. */
  forbidsRefund(p: F['doubt']): boolean;
  /** A payment may still come when the client has its own again, and whatever is left pays for it; a lock stands for one lock alone. */
  readonly isPayment: boolean;
  /** It came back although the client's claim of it was believed. */
  isPaidBack(p: F['revealed']): boolean;
  /** What goes on until its end is buried, whatever else is dropped; null once that is so. */
  lasting(t: T, p: F['revealed'] & { readonly at: string }): readonly Effect[] | null;
  /** What is told of it when it is back already. */
  afterReturn(p: F['returned'], event: Event): Step<F['returned']> | null;
  /** What is told of it once it came back. */
  came(p: F['returned']): F['returned'];
  watches(t: T, p: object & { readonly at: string }): readonly Watch[];
  deadline(t: T, p: F['standing'], surety: Surety): Unix | null;
  /** Something of it is still to be seen, once all else is over. */
  open(p: F['revealed']): boolean;
  reserves(p: F['standing']): boolean;
  /** For the owner: what it waits for. */
  action(p: F['standing']): string;
  afterwards(p: F['revealed'] & { readonly at: 'claiming' | 'claimed' | 'lost' }): string | null;
  rescue(t: T, p: F['standing'] | F['revealed'] | F['doubt']): RescueLeg | null;
  /** Ours, as long as no claim of it is a fact, once the client has its own again. */
  rescueBack(t: T, p: F['revealed'] | F['returned']): RescueLeg | null;
  /** The client's claim, which is sent on; null where it needs nobody. */
  resend(p: F['revealed']): Uint8Array | null;
}
