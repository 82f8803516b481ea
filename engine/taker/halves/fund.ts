import type { z } from 'zod';
import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Locktime, Unix } from '../../domain/time.ts';
import type { RescueLeg } from '../../legs/rescue.ts';
import { partOf, type ValueOf } from '../../legs/shape.ts';
import type { News } from '../../swap/halves/answer.ts';
import { move, type Effect, type Event, type Outcome, type Watch } from '../../swap/machine.ts';
import type { Facts, Moved, Paid, Pay, Side, StepTrack, Times, TurnView } from '../facts.ts';
import { frame } from '../shape.ts';
import type { Deal, Leg } from '../terms.ts';
import { payerIsOut } from '../words.ts';

/*
 * The half of a client's swap in which we lock: coins or tokens of ours, which come back where the provider does not
 * take them with the secret. It never sees the provider's lock: of that it is told what became of it.
 */

/** In every stage once there is a deal. */
export type Dealt<S extends Leg = Leg, G extends Leg = Leg> = ValueOf<typeof frame> & { readonly deal: Deal<S, G> };

const frameBeside = partOf(frame);

export function frameOf<S extends Leg, G extends Leg>(p: Dealt<S, G>): Dealt<S, G> {
  return { deal: p.deal, ...frameBeside(p) };
}

/** From the deal to the end; those of the claim of the provider's lock are `claiming` for every half. */
export type FundStage =
  /** Nothing came yet. */
  | 'waiting'
  /** Our signature was given. */
  | 'funding'
  /** It lies there. */
  | 'funded'
  /** The provider is asked for its signature on our refund. */
  | 'asking'
  | 'refunding'
  /** Nothing is owed to us. */
  | 'done'
  /** What we bought is ours; something of ours may lie there still. */
  | 'claimed'
  /** The provider has both. */
  | 'lost'
  /** Never paid, and too late to be. */
  | 'lapsed';

/** What became of the provider's side: ours for good, or taken back although our secret may have left us. */
export type Fate = 'ours' | 'lost' | null;

/**
 * By the wall: nothing is paid or signed from `pay` on; from `over` on nobody needs a lock of ours any more, which may
 * be a height.
 */
export interface Window {
  readonly pay: Unix;
  readonly over: Locktime;
}

/** All that a half that funds is told of the rest. */
export interface Beside {
  readonly fate: Fate;
  /** Whose secret it hangs on: a payee's, which proves the payment, or ours, which nobody has before we show it. */
  readonly secret: 'ours' | 'payee';
  readonly window: Window;
  /** The provider's lock is there. */
  readonly isOffered: boolean;
  /** Why that is not claimed. */
  readonly unsafe: string | null;
  /** It will never be claimed. */
  readonly isHopeless: boolean;
  /** Until when its claim can be begun; null where there is none. */
  readonly claimUntil: Locktime | null;
  /** The provider may take it back by now. */
  isOver(now: Clocks): boolean;
}

/** The provider took ours with our secret, and there is nothing of it to claim. */
export type Forfeited<P> = News<{ readonly fact: 'forfeited'; readonly lost: P }>;

/** Of any stage, as far as it is the half's. */
export type At<K extends Dealt> = K & { readonly at: string };
/** Any stage of the half's own, and the claim of the provider's lock. */
export type Any<K extends Dealt, P extends K> = P | (K & { readonly at: 'claiming' });

/** `K`: what every stage has; `P`: the stages, but for that in which the provider's lock is claimed. */
export interface ClientFund<T, K extends Dealt, P extends K & { readonly at: FundStage }> {
  readonly leg: Leg['on'];
  /** What is given, as its owner reads it: "your tokens". */
  readonly ours: string;
  /** What is done about it once the provider has taken its own back, in a sentence. */
  readonly whenSpoiled: string;
  readonly fields: {
    readonly source: z.ZodType;
    readonly base: z.ZodRawShape;
    /** The stages that it has, each beside `base`. */
    readonly stages: Readonly<Partial<Record<FundStage, z.ZodRawShape>>>;
  };
  /** The first stage once there is a deal. */
  begin(deal: P['deal']): P;
  /**
   * In a copy of the database, which knows of nothing that was given since; null where that changes nothing. Left out
   * where whatever was given is seen all the same.
   */
  copied?(p: P): P | null;
  step(t: T, p: P, event: Event, now: Clocks, beside: Beside): Outcome<P> | Forfeited<P>;
  /** What its state alone owes. */
  resume(t: T, p: P, now: Clocks, beside: Beside): readonly Effect[];
  /** What becomes of ours while what was locked for it is claimed. Null: the event does not concern it. */
  meanwhile(t: T, p: K, event: Event, now: Clocks): Outcome<K> | null;
  /** What stays in every stage. */
  base(p: K): K;
  /** The claim was not made: the secret is ours alone. */
  unclaimed(p: K): P;
  /** What it was given for is ours. */
  bought(p: K): P;
  /** The provider took its own back, and may have our secret. */
  spoiled(p: K): P;
  /** The provider's lock may be claimed for it. */
  awaits(p: P): boolean;
  /** A refund that we signed may be used any moment: nothing is claimed for it any more. Left out: it never may. */
  isGivenUp?(p: K): boolean;
  /** The provider took it, with the secret. */
  isTaken(p: At<K>): boolean;
  /** It may be ours again by now. */
  isBack(p: K, now: Clocks): boolean;
  /** From when on nobody's help is needed to have it back. */
  aloneFrom(p: K): Locktime;
  /** Most that was seen of it in one piece, in smallest units; left out where nothing shows it. */
  mostPaid?(p: K): bigint;
  watches(t: T, p: Any<K, P>): readonly Watch[];
  /** When time alone moves it. */
  deadline(p: P, window: Window): Locktime | null;
  open(p: P): boolean;
  /** What the provider may say of it in a stage; anything else is not repeated. */
  readonly words: {
    readonly waiting: ReadonlySet<SwapStatus>;
    funded(isPayment: boolean): ReadonlySet<SwapStatus>;
    readonly lapsed: ReadonlySet<SwapStatus>;
  };
  /** As it is seen ourselves, while it lies there. */
  seenAs(p: P): SwapStatus;
  /** The leg that comes back, for the rescue bundle; null while there is none. */
  rescue(t: T, p: Any<K, P>, fate: Fate): RescueLeg | null;
  readonly view: FundView<T, K, P>;
}

/** The same for its owner. */
export interface FundView<T, K extends Dealt, P extends K> {
  give(t: T, deal: K['deal'] | null): Side;
  /** What comes back, where that is another token than was given; left out where it never is. */
  back?(t: T, p: K): Side | null;
  paid(t: T, p: Any<K, P>, now: Clocks, beside: Beside): Paid;
  pay(t: T, p: P, until: Unix): Pay | null;
  /** By the clock that judges it: `now`. */
  times(t: T, p: K): Pick<Times, 'refundAloneFrom' | 'dangerFrom' | 'last'>;
  now(t: T, clocks: Clocks): Unix | null;
  /** Until when a payment may still be made for it; left out where that is not ours to know. */
  payoutUntil?(t: T, p: K): Locktime;
  refund(t: T, p: Any<K, P>, now: Clocks, beside: Beside): Facts['refund'];
  /** `others`: what moved elsewhere, in its place between our lock and what became of it. */
  moves(t: T, p: Any<K, P>, others: readonly Moved[]): readonly Moved[];
  /** What is to be said of it before anything of the provider's side; left out where nothing is. */
  reason?(p: P, beside: Beside): Pick<Facts, 'reason' | 'detail'> | null;
  /** Why the provider did not sign a refund; left out where it never signs one. */
  declined?(p: P): string | null;
  /** Its steps up to the provider's lock, and those by which it comes back. */
  readonly tracks: { readonly begin: StepTrack; readonly back: StepTrack };
  /** Whose turn it is in a stage of its own; null where the provider's lock is waited for. `on`: to what is bought. */
  turn(p: P, beside: Beside, on: StepTrack): TurnView | null;
}

/** The provider's last word, where it is another than before. */
export function withWord<P extends Dealt>(p: P, status: SwapStatus): Outcome<P> {
  return status === p.said ? 'stay' : move<P>({ ...p, said: status });
}

type Coins = readonly { readonly amount: bigint }[];

export function sum(coins: Coins): bigint {
  return coins.reduce((total, { amount }) => total + amount, 0n);
}

export function largest(coins: Coins): bigint {
  return coins.reduce((most, { amount }) => (amount > most ? amount : most), 0n);
}

/** The refund in a stage in which nothing of ours stands, or is on its way back. */
export function refundIn({ at }: { readonly at: FundStage | 'claiming' }, from: Locktime): Facts['refund'] {
  switch (at) {
    case 'waiting':
    case 'funding':
    case 'lapsed':
      return { state: 'none', from, why: 'nothing-paid' };
    case 'asking':
    case 'refunding':
      return { state: 'running', from, why: null };
    case 'done':
      return { state: 'done', from, why: null };
    default:
      return { state: 'none', from: null, why: 'spent' };
  }
}

/**
 * The refund of what stands before its time, while the swap may still finish. While its own lock is there the provider
 * signs nothing: to be asked is to be declined.
 */
export function refundMeanwhile(
  p: Pick<Dealt, 'said'> & { readonly declined: string | null },
  from: Locktime,
  { isOffered, fate }: Beside,
): Facts['refund'] {
  if (p.declined !== null) return { state: 'possible', from, why: 'provider-declined' };
  if (payerIsOut.has(p.said)) return { state: 'possible', from, why: 'provider-out' };
  return isOffered && fate !== 'lost'
    ? { state: 'later', from, why: 'provider-locked' }
    : { state: 'possible', from, why: 'in-progress' };
}
