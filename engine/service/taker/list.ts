import type { TakerSwap, TakerSwaps } from '../../contract/taker-swap.ts';
import type { TakerSwapsQuery } from '../../contract/taker.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { TakerOutcome, TakerShow } from '../../domain/taker.ts';
import type { JournalLine } from '../../store/journal.ts';
import type { TakerFilter } from '../../store/taker-swaps.ts';
import { searchOf } from '../../taker/listing.ts';
import type { ServiceContext } from '../context.ts';
import { isTaken } from '../owner/job.ts';
import { pageOf, readCursor } from '../pages.ts';
import { ownWallet } from './pay.ts';
import { takerSwapOf } from './view.ts';

type Context = Pick<ServiceContext, 'runtime' | 'networks'>;

export function takerSwap(context: Context, id: string): TakerSwap | null {
  const { store } = context.runtime;
  const swap = shown(context, id, store.journal.of(id));
  return swap === null ? null : { ...swap, ...store.labels.of(id) };
}

function shown(context: Context, id: string, journal: readonly JournalLine[]): ReturnType<typeof takerSwapOf> {
  const { clock, workingSet } = context.runtime;
  const entry = workingSet.readable(id);
  if (entry === null) return null;
  const now = clock.now();
  return takerSwapOf(entry, {
    now,
    journal,
    ownWallet: ownWallet(context, id),
    isTaken: (txid) => isTaken(context, txid),
  });
}

/** The index says which are on the page, and only those are read. */
export function takerSwaps(context: Context, query: TakerSwapsQuery): TakerSwaps | Refusal {
  const { takerSwaps: index, labels } = context.runtime.store;
  const before = query.cursor === null ? null : readCursor(query.cursor);
  if (isRefusal(before)) return before;
  const needing = needingOwner(context);
  const search = query.text === null ? null : searchOf(query.text);
  const labelled = query.text === null ? [] : labels.idsWith(query.text.trim());
  const rows = index.page({
    ...narrowedTo(query.show, needing),
    network: query.network,
    search: search === null ? null : { ...search, labelled },
    before,
    limit: query.limit + 1,
  });
  const { page, next } = pageOf(rows, query.limit);
  return {
    swaps: page.map(({ id }) => takerSwap(context, id)).filter((swap) => swap !== null),
    next_cursor: next,
    counts: countsOf(index.counts(), needing.length),
  };
}

/**
 * The ids of what wants its owner. Time and wallets decide on that and not the swap alone, so that it is not in the
 * index; but of those that are over only a loss does.
 */
function needingOwner(context: Context): readonly string[] {
  const { takerSwaps: index } = context.runtime.store;
  const open = index.openIds().filter((id) => {
    const attention = shown(context, id, [])?.attention;
    return attention === 'needs-you' || attention === 'danger';
  });
  return [...open, ...index.endedAs('lost')];
}

function narrowedTo(show: TakerShow, needing: readonly string[]): Pick<TakerFilter, 'outcome' | 'ids'> {
  switch (show) {
    case 'all':
      return { outcome: null, ids: null };
    case 'needs-you':
      return { outcome: null, ids: needing };
    default:
      return { outcome: show, ids: null };
  }
}

function countsOf(
  each: readonly { readonly outcome: TakerOutcome | null; readonly count: number }[],
  needing: number,
): TakerSwaps['counts'] {
  const of = (outcome: TakerOutcome | null): number => each.find((one) => one.outcome === outcome)?.count ?? 0;
  return {
    all: each.reduce((sum, { count }) => sum + count, 0),
    open: of(null),
    needs_you: needing,
    finished: of('finished'),
    returned: of('returned'),
  };
}
