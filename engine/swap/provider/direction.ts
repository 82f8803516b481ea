import type { Clocks, Locktime } from '../../domain/time.ts';
import type { Queue } from '../../legs/leg.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
import type { Shape } from '../../legs/shape.ts';
import type { ExtraCoin } from '../halves/extra-coins.ts';
import type { ClaimHalf, ClaimStates } from '../halves/claim.ts';
import type { FundHalf, FundStates } from '../halves/fund.ts';
import type { NotedAct } from '../machine.ts';

/** The states of a swap: of each stage, the fields of both halves that are legal together. */
export type ProviderProgress<C extends ClaimStates, F extends FundStates> =
  | C['waiting']
  | (F['standing'] & C['sure'])
  | ({ readonly at: 'claiming' } & C['claiming'] & F['revealed'])
  | ({ readonly at: 'claimed' } & C['claimed'] & F['revealed'])
  /** The client has ours, and took back what it had locked. */
  | ({ readonly at: 'lost' } & C['lost'] & F['revealed'])
  /** Our refund is final; the client's lock is still to be given back. */
  | ({ readonly at: 'returned' } & C['left'] & F['returned'])
  | (C['stopped'] & Doubted<C, F>)
  | C['lapsed']
  | (C['refunded'] & Doubted<C, F> & { readonly returned?: F['returned'] });

/** A lock or payment of ours that was called off and may exist, with the client's lock that it was for. */
interface Doubted<C extends ClaimStates, F extends FundStates> {
  readonly doubt?: F['doubt'] & C['seed'];
}

/** A direction as its provider: its halves, and the conditions between them. Its terms are those that it stores. */
export interface Provider<T, C extends ClaimStates, F extends FundStates> {
  readonly name: string;
  readonly terms: Shape<T>;
  readonly claim: ClaimHalf<NoInfer<T>, C>;
  readonly fund: FundHalf<NoInfer<T>, F>;
  /** The safety rule for our lock or payment, by the clocks of now. */
  judge(t: NoInfer<T>, sight: C['sight'], now: Clocks): Safety;
  /** What must still hold when our part is given. */
  onlyIf(t: NoInfer<T>, sure: C['sure']): OnlyIf;
  readonly notes: readonly NotedAct[];
  /** As of `Machine`. */
  signsRefund?(t: NoInfer<T>): boolean;
  readonly unfunded: { locktime(t: NoInfer<T>): Locktime; script(t: NoInfer<T>): Uint8Array | null };
}

/**
 * Any direction, by what all halves have: what a state holds beside its stage its own half knows. Its steps name the
 * legs whose effects they drop.
 */
export type Pair = Omit<Provider<unknown, ClaimStates, FundStates>, 'claim' | 'fund'> & {
  readonly claim: ClaimHalf<unknown, ClaimStates, readonly Queue[]>;
  readonly fund: FundHalf<unknown, FundStates, readonly Queue[]>;
};

/** The legs of a stage that ends what both halves asked for. */
export function bothLegs({ claim, fund }: Pair): readonly Queue[] {
  return [claim.leg, fund.leg];
}

type RevealedName = 'claiming' | 'claimed' | 'lost';

/** What the states of any swap are called: each has a status in `facts.ts`. */
export type StateName =
  | ClaimStates['waiting']['at']
  | FundStates['standing']['at']
  | RevealedName
  | 'returned'
  | ClaimStates['stopped' | 'lapsed' | 'refunded']['at'];

export interface State {
  readonly at: StateName;
  readonly doubt?: object;
  readonly returned?: object;
}

export type WaitingState = State & ClaimStates['waiting'];
export type StandingState = State & FundStates['standing'];
export type Revealed = State & { readonly at: RevealedName };
export type Stopped = ClaimStates['stopped'];
/** What is given is not named yet. */
export type Unnamed = State & { readonly extras: readonly ExtraCoin[] };
export type GivenBack = State & (Stopped | ClaimStates['refunded']);

export function isWaiting({ claim }: Pair, p: State): p is WaitingState {
  return Object.hasOwn(claim.fields.waiting, p.at);
}

export function isStanding({ fund }: Pair, p: State): p is StandingState {
  return Object.hasOwn(fund.fields.standing, p.at);
}

export function isRevealed(p: State): p is Revealed {
  return p.at === 'claiming' || p.at === 'claimed' || p.at === 'lost';
}

/** Whether something may be given for what the client locked, and that may still be lost. */
export function isAtStake(p: State): boolean {
  if (isGivenBack(p)) return p.doubt !== undefined;
  return p.at !== 'returned' && p.at !== 'lost' && p.at !== 'lapsed';
}

export function isGivenBack(p: State): p is GivenBack {
  return p.at === 'stopped' || p.at === 'refunded';
}
