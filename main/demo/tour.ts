import type { ClientSide } from '../../engine/index.ts';
import type { Amount } from './amount.ts';
import type { DemoNode } from './node.ts';

export interface Tour {
  readonly node: DemoNode;
  /** A client of this stop's own, with keys that nobody else has. */
  readonly client: ClientSide;
  readonly say: (line: string) => void;
  /** Resolves once the sandbox's clock is past `time`: it is moved when every other stop is over, or waits as well. */
  past(time: number): Promise<void>;
}

/**
 * What the client gave and what it has of it in the end, both read from where the money lies; null where nothing moved.
 */
export type Balance = { readonly went: Amount; readonly came: Amount } | null;

/** One swap from its creation to the end that the name promises; it rejects where it ends otherwise. */
export interface Stop {
  readonly name: string;
  run(tour: Tour): Promise<Balance>;
}

/** The stops of one direction: swaps that end in `serverredeemed`, and what comes back when they cannot. */
export interface Stops {
  readonly swaps: readonly Stop[];
  readonly refunds: readonly Stop[];
}

export const patienceMs = 90_000;
export const amount = 25_000;

/** Nothing less than what was promised, and no more. */
export function exactly(came: bigint, promised: bigint, what: string): void {
  if (came !== promised) throw new Error(`${what}: ${came} arrived, not ${promised}.`);
}

/** As much as was promised, or more. */
export function atLeast(came: bigint, promised: bigint, what: string): void {
  if (came < promised) throw new Error(`${what}: ${came} arrived, less than ${promised}.`);
}
