import type { Unix } from '../domain/time.ts';
import { encode } from '../store/codec.ts';
import type { Store } from '../store/store.ts';
import { listNames, segmentText, type Bundle, type Changed, type ListName, type Rest } from './bundle.ts';
import { encodedExitPaths, type EncodedExitPaths } from './exit-paths.ts';

export interface Contents {
  has(id: string): boolean;
  /** Whether it changed; null where it is over. */
  setSwap(id: string, text: string | null): boolean;
  /** What changed since it was taken last, as a segment says it; null where nothing did. */
  takeChanges(): string | null;
  /** Everything that was taken, and what changed since then. */
  whole(): string;
  /** About the length of that. */
  length(): number;
}

export interface ContentsOptions {
  readonly store: Store;
  readonly walletTerms: () => Bundle['walletTerms'];
  readonly wall: () => Unix;
}

type Lists = EncodedExitPaths & { readonly swaps: ReadonlyMap<string, string> };

/** What a bundle holds, encoded, and which of it changed since it was last written. */
export function createContents({ store, walletTerms, wall }: ContentsOptions): Contents {
  const swaps = new Map<string, string>();
  const changedSwaps = new Set<string>();
  let exitPaths: { readonly revision: number; readonly lists: EncodedExitPaths } | null = null;
  let rest = '';
  let length = 0;

  function changedExitPaths(): { readonly [L in ListName]?: Changed } {
    const revision = store.exits.revision();
    if (exitPaths?.revision === revision) return {};
    const before = exitPaths?.lists;
    const lists = encodedExitPaths(store);
    exitPaths = { revision, lists };
    length = [swaps, ...Object.values(lists)].reduce((sum, list) => sum + lengthOf(list), 0);
    return {
      coins: difference(before?.coins, lists.coins),
      roots: difference(before?.roots, lists.roots),
      transactions: difference(before?.transactions, lists.transactions),
    };
  }

  function changedRest(): string | null {
    const { peek } = store.counters;
    const counters = { swap: peek('swap'), deposit: peek('bitcoin-deposit'), change: peek('bitcoin-change') };
    const text = encode({ counters, walletTerms: walletTerms(), troubles: [] } satisfies Rest);
    if (text === rest) return null;
    rest = text;
    return text;
  }

  return {
    has: (id) => swaps.has(id),
    setSwap(id, text) {
      const before = swaps.get(id) ?? null;
      if (text === before) return false;
      length += (text?.length ?? 0) - (before?.length ?? 0);
      changedSwaps.add(id);
      if (text === null) swaps.delete(id);
      else swaps.set(id, text);
      return true;
    },
    takeChanges() {
      const own = changedRest();
      const lists = { ...changedExitPaths(), swaps: changeOf(changedSwaps, swaps) };
      changedSwaps.clear();
      const isSame = own === null && listNames.every((name) => isEmpty(lists[name]));
      return isSame ? null : segmentText(wall(), own, lists);
    },
    whole: () => segmentText(wall(), rest, wholeOf({ ...(exitPaths?.lists ?? noExitPaths), swaps })),
    length: () => length + rest.length,
  };
}

const noExitPaths: EncodedExitPaths = { coins: new Map(), roots: new Map(), transactions: new Map() };

function wholeOf(lists: Lists): { readonly [L in ListName]: Changed } {
  const all = (name: ListName): Changed => ({ put: [...lists[name]], gone: [] });
  return { swaps: all('swaps'), coins: all('coins'), roots: all('roots'), transactions: all('transactions') };
}

function changeOf(keys: ReadonlySet<string>, list: ReadonlyMap<string, string>): Changed {
  const put: [string, string][] = [];
  const over: string[] = [];
  for (const key of keys) {
    const text = list.get(key);
    if (text === undefined) over.push(key);
    else put.push([key, text]);
  }
  return { put, gone: over };
}

function difference(before: ReadonlyMap<string, string> | undefined, now: ReadonlyMap<string, string>): Changed {
  return {
    put: [...now].filter(([key, text]) => before?.get(key) !== text),
    gone: before === undefined ? [] : [...before.keys()].filter((key) => !now.has(key)),
  };
}

function isEmpty(change: Changed | undefined): boolean {
  return change === undefined || change.put.length + change.gone.length === 0;
}

function lengthOf(list: ReadonlyMap<string, string>): number {
  let sum = 0;
  for (const text of list.values()) sum += text.length;
  return sum;
}
