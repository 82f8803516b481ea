import { takerDirections, takerMachine } from '../../domain/chain.ts';
import type { TakerSwap, TakerSwaps } from '../../contract/taker-swap.ts';
import type { TakerSwapsQuery } from '../../contract/taker.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { ServiceContext } from '../context.ts';
import { ownWallet } from './pay.ts';
import { takerSwapOf } from './view.ts';

const mostListed = 200;

type Context = Pick<ServiceContext, 'runtime' | 'networks'>;

export function takerSwap(context: Context, id: string): TakerSwap | null {
  const entry = context.runtime.workingSet.readable(id);
  return entry === null ? null : shown(context, entry);
}

function shown(context: Context, entry: Entry): TakerSwap | null {
  const { clock, store } = context.runtime;
  const { id } = entry.row;
  return takerSwapOf(entry, { now: clock.now(), journal: store.journal.of(id), ownWallet: ownWallet(context, id) });
}

export function takerSwaps(context: Context, query: TakerSwapsQuery): TakerSwaps {
  const { store, workingSet } = context.runtime;
  const all = takerDirections
    .flatMap((direction) => store.swaps.page({ machine: takerMachine(direction), limit: mostListed }))
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(({ id }) => workingSet.readable(id))
    .filter((entry) => entry !== null)
    .map((entry) => shown(context, entry))
    .filter((swap) => swap !== null);
  return {
    swaps: all.filter((swap) => isShown(swap, query)).slice(0, query.limit),
    next_cursor: null,
    counts: {
      all: all.length,
      open: all.filter(({ open }) => open).length,
      needs_you: all.filter(needsYou).length,
      finished: all.filter(({ outcome }) => outcome === 'finished').length,
      returned: all.filter(({ outcome }) => outcome === 'returned').length,
    },
  };
}

function needsYou({ attention }: TakerSwap): boolean {
  return attention === 'needs-you' || attention === 'danger';
}

function isShown(swap: TakerSwap, { show, network, text }: TakerSwapsQuery): boolean {
  if (network !== null && swap.give.network !== network && swap.get.network !== network) return false;
  if (text !== null && !swap.id.startsWith(text)) return false;
  switch (show) {
    case 'all':
      return true;
    case 'open':
      return swap.open;
    case 'needs-you':
      return needsYou(swap);
    default:
      return swap.outcome === show;
  }
}
