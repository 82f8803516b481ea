import { readableDown } from '../domain/fee-rate.ts';
import type { Sats } from '../domain/money.ts';
import { minute, seconds, type Unix } from '../domain/time.ts';

/** How a fee widens where the side that is paid out on runs dry, as the owner sets it, in basis points. */
export interface InventoryTerms {
  /** Most that is added, at nothing left; 0 adds nothing. */
  readonly spreadBps: number;
  /** The share of what both sides hold at which nothing is added yet. */
  readonly belowShareBps: number;
}

/** What the node holds on the side that a swap pays out on, and on the side that it is paid on. */
export interface Inventory {
  readonly held: Sats;
  readonly across: Sats;
}

const all = 10_000n;

/**
 * What is added to a fee of `feeBps`, rounded down, and down to what clients read as it is. It never falls while less
 * is held, is never more than `spreadBps`, and never makes a fee of more than everything.
 */
export function spreadDown({ held, across }: Inventory, terms: InventoryTerms, feeBps: number): number {
  const below = BigInt(terms.belowShareBps) * (held + across);
  const share = held * all;
  if (terms.spreadBps === 0 || share > below) return 0;
  const spread = below === 0n ? terms.spreadBps : Number((BigInt(terms.spreadBps) * (below - share)) / below);
  return Math.max(0, readableDown(Math.min(Number(all), feeBps + spread)) - feeBps);
}

/** Clients keep what they were told for a minute before they create (facts/clients.md 39). */
const spreadLasts = seconds(2 * minute);

/** The spreads that quotes told lately, and when last. */
export type SpreadMemory = ReadonlyMap<number, Unix>;

export function rememberSpread(memory: SpreadMemory, spread: number, now: Unix): SpreadMemory {
  return new Map([...lately(memory, now), [spread, now]]);
}

/** What a create adds: what is due now, or less where somebody was told less and may create by it. */
export function leastSpread(memory: SpreadMemory, due: number, now: Unix): number {
  return Math.min(due, ...lately(memory, now).map(([spread]) => spread));
}

function lately(memory: SpreadMemory, now: Unix): [number, Unix][] {
  return [...memory].filter(([, at]) => Math.abs(now - at) <= spreadLasts);
}
