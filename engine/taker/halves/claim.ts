import type { z } from 'zod';
import type { Clocks, Locktime, Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { RescueLeg } from '../../legs/rescue.ts';
import type { Along } from '../../swap/halves/answer.ts';
import type { Event, Resumption, Step, Watch } from '../../swap/machine.ts';
import type { Destination, Facts, Moved, Side, StepTrack, Turn } from '../facts.ts';
import type { Deal, Leg } from '../terms.ts';
import type { Fate } from './fund.ts';

/*
 * The half of a client's swap in which the provider locks: its lock is judged, claimed with our secret, and followed
 * until that is final. Of what we gave it is told only whether the secret is out and whether ours may be ours again.
 */

/** Of what we gave. */
interface Given {
  /** The provider has our secret: no claim waits or is given up for want of time. */
  readonly isOut: boolean;
  /** It may be ours again: nobody may have both. */
  readonly isBack: boolean;
  /** From when on it can be: no secret is shown for the first time by then. Empty where it comes back by itself. */
  readonly limit: Pick<OnlyIf, 'ownRefund'>;
}

/** One claim, with all that it hangs on. */
export interface Claim<T, L extends Leg> extends Given {
  readonly t: T;
  readonly deal: Deal<Leg, L>;
}

/** Nothing was claimed, and the secret is ours alone. */
interface Unclaimed<K> {
  readonly fact: 'unclaimed';
  readonly target: K;
}

/** It is ours for good. */
interface Bought<K> {
  readonly fact: 'bought';
  readonly target: K;
}

/** The provider took it back. `isShown`: although our secret may have left us. */
interface Spoiled<K> {
  readonly fact: 'spoiled';
  readonly target: K;
  readonly isShown: boolean;
}

/** Our claim begins: from here on nothing but the lock's end stops it. */
interface Begun<C> {
  readonly fact: 'claiming';
  readonly target: C;
}

type News<F> = F & { readonly along?: Along };
/** `Step`: what is known of it changed, and no more. */
export type Offer<K, C> = 'stay' | Step<K> | News<Begun<C> | Bought<K> | Spoiled<K>>;
export type ClaimAnswer<K, C> = 'stay' | Step<C> | News<Unclaimed<K> | Bought<K> | Spoiled<K>>;

/** `K`: in every stage; `C`: while it is claimed. */
export interface ClientClaim<T, L extends Leg, K extends object, C extends object> {
  readonly leg: Leg['on'];
  /** What the provider locks, as the owner reads it: "its VHTLC". */
  readonly theirs: string;
  readonly fields: { readonly target: z.ZodType; readonly facts: z.ZodRawShape; readonly claiming: z.ZodRawShape };
  readonly none: K;
  /** The event that shows the lock; null where the provider locks nothing that we could see: it pays an invoice. */
  readonly look: Event['is'] | null;
  /** The lock while ours stands. */
  offered(claim: Claim<T, L>, target: K, event: Event, now: Clocks): Offer<K, C>;
  claiming(claim: Claim<T, L>, target: C, event: Event, now: Clocks): ClaimAnswer<K, C>;
  /** The claim as its state alone owes it. `isShown`: whoever lost the rest knows that the secret may have left us. */
  resume(claim: Claim<T, L>, target: C, now: Clocks, isShown: boolean): Resumption<C>;
  /** What is told of it in any stage; null: the event does not concern it. Left out: none does. */
  told?(target: K, event: Event): Step<K> | 'stay' | null;
  /** `isTaken`: the provider has what we gave. */
  fate(target: K, isTaken: boolean): Fate;
  /** Why it is not claimed. */
  unsafe(target: K): string | null;
  /** The provider's lock is there. */
  isOffered(target: K): boolean;
  /** It will not be claimed any more; left out where it always may be. */
  isHopeless?(target: K): boolean;
  /** The provider may take it back by now. */
  isOver(t: T, deal: Deal<Leg, L>, now: Clocks): boolean;
  /** Our claim is on its network; left out where nobody sees it before it is final. */
  isSeen?(target: C): boolean;
  watches(t: T, deal: Deal<Leg, L>, target: K | C): readonly Watch[];
  deadline?(target: C): Locktime | null;
  /** The leg that is claimed, for the rescue bundle; null: there is none. */
  rescue(t: T, deal: Deal<Leg, L>, target: K | C): RescueLeg | null;
  /** Our secret may have left us with the claim that is under way. */
  isShown(target: C): boolean;
  /** It left us by nothing but what is noted before it is sent, or before the provider is asked to claim for us. */
  isByNote(target: C): boolean;
  readonly view: ClaimView<T, L, K, C>;
}

/** The same for its owner. */
export interface ClaimView<T, L extends Leg, K extends object, C extends object> {
  get(t: T, deal: Deal<Leg, L> | null, target: K): Side;
  to(t: T): Destination;
  /** Until when the claim can be begun, and when the lock ends, by the clock that judges it: `now`. */
  times(t: T, deal: Deal<Leg, L>): { readonly until: Locktime; readonly end: Locktime } | null;
  now(t: T, clocks: Clocks): Unix | null;
  /** `claiming`: null where none is under way. */
  moves(t: T, target: K, claiming: C | null): readonly Moved[];
  /** `isUnderWay`: what was given lies there, or is being claimed for. Left out where there is never any. */
  reason?(target: K, isUnderWay: boolean): Pick<Facts, 'reason' | 'detail'> | null;
  /** From the provider's lock to the end. */
  readonly track: StepTrack;
  /** Whose turn it is until it is claimed. `alone`: from then on what we gave comes back without anybody. */
  waits(t: T, deal: Deal<Leg, L>, target: K, alone: Locktime): { readonly turn: Turn; readonly track?: StepTrack };
  /** Whose turn it is while it is claimed. */
  claimTurn(t: T, deal: Deal<Leg, L>, target: C): Turn;
}
