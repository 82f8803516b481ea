import type { TakerSwap, TakerSwaps } from '../../../engine/contract/taker-swap.ts';
import { takerShows, type TakerShow } from '../../../engine/domain/taker.ts';

/** What the list is narrowed to. */
export interface Narrowing {
  readonly text: string;
  readonly show: TakerShow;
  /** Empty for any. */
  readonly network: string;
}

export const everything: Narrowing = { text: '', show: 'all', network: '' };

export function isNarrowed({ text, show, network }: Narrowing): boolean {
  return text !== '' || show !== 'all' || network !== '';
}

export function queryOf({ text, show, network }: Narrowing, cursor: string | null, limit: number) {
  return {
    show,
    limit,
    ...(text === '' ? {} : { q: text }),
    ...(network === '' ? {} : { network }),
    ...(cursor === null ? {} : { cursor }),
  };
}

export const shows: readonly TakerShow[] = takerShows;

export function countOf(counts: TakerSwaps['counts'] | null, show: TakerShow): number | null {
  if (counts === null) return null;
  return show === 'needs-you' ? counts.needs_you : counts[show];
}

/** The newest page over what was read before: changed rows in their places, new ones above, none twice. */
export function withNewest(rows: readonly TakerSwap[], newest: readonly TakerSwap[]): readonly TakerSwap[] {
  const fresh = new Map(newest.map((swap) => [swap.id, swap]));
  const before = new Set(rows.map(({ id }) => id));
  return [...newest.filter(({ id }) => !before.has(id)), ...rows.map((swap) => fresh.get(swap.id) ?? swap)];
}

/** Older rows below, none twice: a swap that moved between two pages is on both. */
export function withOlder(rows: readonly TakerSwap[], older: readonly TakerSwap[]): readonly TakerSwap[] {
  const before = new Set(rows.map(({ id }) => id));
  return [...rows, ...older.filter(({ id }) => !before.has(id))];
}
