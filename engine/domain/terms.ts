import type { DirectionName } from './chain.ts';

/** What a swap of one direction costs and may be worth: the fee in basis points and flat, and the limits in sats. */
export interface DirectionTerms {
  readonly feeBps: number;
  readonly flatSats: number;
  readonly minSats: number;
  readonly maxSats: number;
}

type Own = { readonly [T in keyof DirectionTerms]?: DirectionTerms[T] | undefined };

/** The same as its owner sets it: for all directions, and what is set for one of them alone. */
export interface OwnTerms extends DirectionTerms {
  readonly directions: { readonly [D in DirectionName]?: Own | undefined };
}

/** The terms of one direction: its own, and those for all where it has none. */
export function termsFor({ directions, ...all }: OwnTerms, name: DirectionName): DirectionTerms {
  const own = directions[name] ?? {};
  return {
    feeBps: own.feeBps ?? all.feeBps,
    flatSats: own.flatSats ?? all.flatSats,
    minSats: own.minSats ?? all.minSats,
    maxSats: own.maxSats ?? all.maxSats,
  };
}

/** The setting that one of them comes from, as the owner writes it. */
export function settingOf({ directions }: OwnTerms, name: DirectionName, term: keyof DirectionTerms): string {
  return directions[name]?.[term] === undefined ? `terms.${term}` : `terms.directions.${name}.${term}`;
}
