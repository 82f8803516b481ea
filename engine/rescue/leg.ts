import { PortFailure } from '../domain/errors.ts';
import type { Preimage } from '../domain/hash.ts';
import type { Outpoint } from '../domain/outpoint.ts';
import type { Seconds, Unix } from '../domain/time.ts';

/** What became of a leg, as its network shows it now. `final`: it cannot change any more. */
export type LegState =
  | { readonly is: 'nothing' }
  /** What makes it is half done, and is to be finished before anything else. */
  | { readonly is: 'begun' }
  | { readonly is: 'standing' }
  /** By the secret; null where the network tells none. */
  | { readonly is: 'claimed'; readonly secret: Preimage | null; readonly final: boolean }
  | { readonly is: 'refunded'; readonly final: boolean }
  /** Nobody tells, or nobody answers: unknown is not no. */
  | { readonly is: 'unclear'; readonly reason: string };

/** When whoever gave it takes it back alone, and whether that moment has come by the clock that judges it. */
export interface Timelock {
  readonly at: Unix;
  readonly over: boolean;
  /** The clock, in words. */
  readonly clock: string;
}

export interface LegLook {
  readonly state: LegState;
  /** Null where there is none, or its clock could not be read. */
  readonly timelock: Timelock | null;
  /** The coin that stands there: of one that is spent a chain tells by its name alone. */
  readonly coin?: Outpoint;
  /** Another coin lies there that is ours to take back, though this one was taken: paid twice, or otherwise. */
  readonly beside?: true;
  /** What is waited for, where the state alone does not say it. */
  readonly note?: Done;
  /** A coin at an operator, whose way to the chain is saved. */
  readonly exit?: ExitLook;
}

/** `served`: its operator answers for it. `distrusted`: it denies the coin, and does not show why. */
export interface ExitLook {
  readonly coin: Outpoint;
  readonly delay: Seconds;
  readonly deadline: Unix;
  readonly served: boolean;
  readonly distrusted: boolean;
}

/** What came of an act. `later`: time or somebody else brings it on; `failed`: it does not go without the owner. */
export interface Done {
  readonly is: 'done' | 'later' | 'failed';
  readonly sentence: string;
  readonly at?: Unix;
}

/**
 * How one kind of leg is looked at and taken. Each act may be done again and again: it is the same one, or finds that
 * it is done.
 *
 * Looks are for every swap: the plan is made of them. Acts are for what has no machine that goes on: a state that
 * cannot be read, is over, gave something up, or does not know of the secret; a lock that the words alone find; gas
 * that the account of the node has not; a swap that its owner names (`--by-hand`). Of such a swap nothing but a leg is
 * known, so that an act is one line, with no states to keep between its steps.
 */
export interface LegHand<L> {
  /** What and where it is, in words. */
  name(leg: L): string;
  look(leg: L, side: 'claim' | 'refund'): Promise<LegLook>;
  /** With the secret a claim, without it a refund. */
  take(leg: L, secret: Preimage | null): Promise<Done>;
  /** What was taken and is not final yet is brought on. */
  bringOn(leg: L, secret: Preimage | null): Promise<Done>;
}

/** What a network that fails keeps from being done is done at another time, and keeps nothing else from being done. */
export async function attempt<D extends Done | null>(work: () => Promise<D>): Promise<D | Done> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return { is: cause.retry === 'never' ? 'failed' : 'later', sentence: cause.message };
  }
}

export function moment(at: Unix): string {
  return new Date(at * 1_000).toISOString().replace('.000Z', ' UTC').replace('T', ' ');
}

/** When it is worth running again. */
export function again(times: readonly Unix[]): string {
  return times.length === 0
    ? 'Run this again in an hour.'
    : `Run this again after ${moment(Math.min(...times) as Unix)}, two hours later for what the median time past ` +
        'decides.';
}
