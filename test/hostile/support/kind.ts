import type { Arena } from './arena.ts';

/** As `--only` takes them. */
export const kindNames = [
  'creates',
  'door',
  'unfunded',
  'held',
  'strangers',
  'replaced',
  'sources',
  'chains',
  'kills',
  'disk',
] as const;

/** What was done so far, by name; the figures of a run. */
export type Tally = Map<string, number>;

/** One way to harm a provider, until it is over. */
export type Kind = (arena: Arena, tally: Tally, isOver: () => boolean) => Promise<void>;

export function count(tally: Tally, what: string, by = 1): void {
  tally.set(what, (tally.get(what) ?? 0) + by);
}
